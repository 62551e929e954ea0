/*
 * The port of the HTTP listener in the last run of a hub, so that a page that is open and a client with
 * the address find the next hub where the last one was. Only where any port will do.
 */
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { isObject } from '../../wire/json.ts';

const FILE = 'http-port.json';

/** The address with the port of the last run; undefined when the address names a port, or there was no run. */
export function lastAddress(folder: string, address: string): string | undefined {
	if (!address.endsWith(':0')) return undefined;
	const state = attempt(() => readState(join(folder, FILE)));
	const port = isObject(state) ? state['port'] : undefined;
	const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
	return isPort ? address.replace(/0$/, String(port)) : undefined;
}

/** Store the port of this run. Without a writable folder the next run takes another one. */
export function keepPort(folder: string, url: string): void {
	const port = Number(new URL(url).port);
	if (port > 0) attempt(() => writeState(join(folder, FILE), { port }));
}
