/* `mctl hub start` and `mctl hub stop`: the shared hub in the background, and its end with everything it started. */

import { HubFolder } from '../../hub/shared/hub-folder.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { stopHub } from '../../hub/shared/stop-hub.ts';
import { type Command, type CommandInput, jsonFlag, textFlag } from '../command.ts';
import { controlHub } from '../hub-client/control-hub.ts';
import { hubFolderHere, hubHere } from '../hub-client/hub-location.ts';
import { httpAddressOf, httpArgs, httpFlag } from './http-flag.ts';
import { runningHubs } from './hub-ls.ts';

export const hubStart: Command = {
	usage: 'mctl hub start [--http [ADDR]] [--certs-dir DIR] [--json]',
	examples: ['mctl hub start', 'mctl hub start --http', 'mctl hub start --json | jq -r .address'],
	flags: {
		http: httpFlag,
		'certs-dir': { value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
		json: jsonFlag,
	},
	args: httpArgs,

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const wasRunning = hubFolderHere({ cwd, environment }).running() !== undefined;
		const certsDir = textFlag(input, 'certs-dir');
		const httpAddress = httpAddressOf(input, hubStart);
		const record = await hubHere(input, { certsDir, httpAddress });
		const { pid, address, networkAddress, root } = record;
		const httpUrl = await httpUrlOf(record, httpAddress, input.signal);
		if (flags['json'])
			return out.json({
				schema: 'orchestra.hub-start/1',
				pid,
				address,
				networkAddress,
				httpUrl,
				root,
				wasRunning,
			});
		out.line(
			`${wasRunning ? 'The hub was running already' : 'The hub is running'}: pid ${pid}, ${[address, networkAddress, httpUrl].filter(Boolean).join(' and ')}, for ${root}`,
		);
	},
};

/** A hub that runs without HTTP opens it now. */
async function httpUrlOf(
	record: HubRecord,
	address: string | undefined,
	signal: AbortSignal,
): Promise<string | undefined> {
	if (address === undefined || record.httpUrl !== undefined) return record.httpUrl;
	const { url } = await controlHub(record, { action: 'http', address }, signal);
	return typeof url === 'string' ? url : undefined;
}

export const hubStop: Command = {
	usage: 'mctl hub stop [--all] [--force] [--json]',
	examples: ['mctl hub stop', 'mctl hub stop --all', 'mctl hub stop --force'],
	flags: {
		all: { help: 'every hub that you run, of whatever folder' },
		force: { help: 'kill it when it does not end within a second' },
		json: jsonFlag,
	},

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const isForced = flags['force'] === true;
		if (flags['all']) return stopAll(input, isForced);
		const wasRunning = await stopHub(hubFolderHere({ cwd, environment }), { isForced });
		if (flags['json']) return out.json({ schema: 'orchestra.hub-stop/1', wasRunning });
		out.line(wasRunning ? 'The hub is stopped.' : 'No hub was running for this folder.');
	},
};

async function stopAll({ flags, out, environment }: CommandInput, isForced: boolean): Promise<void> {
	const hubs = runningHubs(environment);
	const ends = await Promise.allSettled(
		hubs.map(({ root, statePath }) => stopHub(new HubFolder(root, environment, statePath), { isForced })),
	);
	const stopped = hubs.filter((_, index) => ends[index]?.status === 'fulfilled').map(({ root }) => root);
	if (flags['json']) out.json({ schema: 'orchestra.hub-stop/1', wasRunning: hubs.length > 0, stopped });
	else for (const root of stopped) out.line(`The hub of ${root} is stopped.`);
	if (hubs.length === 0 && !flags['json']) out.line('No hub was running.');
	for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
