/* MCP servers for the tests of clients, and connections to them that end with the test. */
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { ServerConnection, type ServerConnectionOptions } from '../../src/mcp/client/server-connection.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { ChildTransport } from '../../src/transport/child-transport.ts';

const root = resolve(import.meta.dirname, '../..');

/** A file below `test/fixtures/` as a server. */
export function fixtureServer(file: string, ...args: string[]): SpawnRecord {
	return { command: process.execPath, args: [join(root, 'test/fixtures', file), ...args] };
}

/** The server that does one thing wrong. */
export function misbehaving(how: string, ...args: string[]): SpawnRecord {
	return fixtureServer('servers/misbehaving-server.mjs', how, ...args);
}

/** A reference server that is installed as a package. */
export function installedServer(name: string, ...args: string[]): SpawnRecord {
	const file = join(root, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');
	return { command: process.execPath, args: [file, ...args] };
}

/** Counts the starts of a server. */
export interface Starts {
	(): Promise<ChildTransport>;
	/** The processes that were started. */
	readonly started: ChildTransport[];
}

/** A function that starts this server and remembers the processes. */
export function starting(record: SpawnRecord): Starts {
	const started: ChildTransport[] = [];
	const start = async (): Promise<ChildTransport> => {
		const transport = await ChildTransport.open(record);
		started.push(transport);
		return transport;
	};
	return Object.assign(start, { started });
}

/** A connection that is closed when the test ends. */
export async function connected(
	start: Starts | SpawnRecord,
	options: Partial<ServerConnectionOptions> = {},
): Promise<ServerConnection> {
	const opened = await ServerConnection.open(typeof start === 'function' ? start : starting(start), {
		clientInfo: { name: 'test', version: '1' },
		capabilities: {},
		...options,
	});
	onTestFinished(() => opened.close());
	return opened;
}
