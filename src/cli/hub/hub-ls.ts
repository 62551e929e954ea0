/* `mctl hub ls` and `mctl hub ps`: every shared hub of this user, and every process that the hub of this folder owns. */
import { homedir } from 'node:os';
import { memoryOf } from '../../hub/shared/hub-details.ts';
import { HubFolder } from '../../hub/shared/hub-folder.ts';
import { type HubEntry, HubRegistry } from '../../hub/shared/hub-registry.ts';
import { printable } from '../../printable.ts';
import { type Command, refuseArgs } from '../command.ts';
import { askHub, askHubAt } from '../hub-client/ask-hub.ts';
import { downLines } from '../hub-client/down-servers.ts';
import { ageOf, megabytes } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';

interface ListedHub extends HubEntry {
	/** The version of its program; null when the hub does not say it. */
	readonly version: string | null;
	/** Bridges that are connected; null when the hub does not respond. */
	readonly clients: number | null;
	readonly memoryBytes: number | null;
}

export const hubLs: Command = {
	usage: 'mctl hub ls [--json]',
	examples: ['mctl hub ls', "mctl hub ls --json | jq -r '.hubs[].pid'"],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, hubLs);
		const { flags, out, environment } = input;
		const hubs = await Promise.all(runningHubs(environment).map((entry) => describe(entry, environment)));
		if (flags['json']) {
			const shown = hubs.map(({ startTime: _start, ...hub }) => hub);
			return out.json({ schema: 'orchestra.hub-ls/1', hubs: shown });
		}
		if (hubs.length === 0) return out.info('No hub is running.');
		const rows = hubs.map(({ pid, version, startedAt, clients, memoryBytes, root, statePath }) => [
			String(pid),
			version ?? '-',
			ageOf(startedAt),
			clients === null ? 'not responding' : String(clients),
			memoryBytes === null ? '-' : megabytes(memoryBytes),
			root,
			statePath,
		]);
		const headings = ['PID', 'VERSION', 'UP', 'CLIENTS', 'MEMORY', 'PROJECT', 'STATE FOLDER'];
		const narrow = [0, 1, 3, 5];
		printTable(out, headings, rows, narrow);
	},
};

/** Every hub that runs, by its project. */
export function runningHubs(environment: Readonly<NodeJS.ProcessEnv>): HubEntry[] {
	const hubs = new HubRegistry(environment['HOME'] || homedir()).list();
	return hubs.sort((one, other) => (one.root < other.root ? -1 : 1));
}

async function describe(entry: HubEntry, environment: Readonly<NodeJS.ProcessEnv>): Promise<ListedHub> {
	const folder = new HubFolder(entry.root, environment, entry.statePath);
	const memoryBytes = memoryOf(entry.pid);
	const record = folder.running();
	const version = record?.version ?? null;
	try {
		const clients = record === undefined ? null : (await askHubAt(folder, record)).clients;
		return { ...entry, version, clients, memoryBytes };
	} catch {
		return { ...entry, version, clients: null, memoryBytes }; // it is shown as not responding
	}
}

const headings = [
	'BACKEND',
	'PID',
	'MEMORY',
	'AGE',
	'LAST CALL',
	'STATE',
	'ERA',
	'VERSION',
	'TOOLS',
	'COMMAND',
];
const narrow = [0, 1, 2, 5, 9];

export const hubPs: Command = {
	usage: 'mctl hub ps [--json]',
	examples: ['mctl hub ps', "mctl hub ps --json | jq -r '.processes[].pid'"],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, hubPs);
		const { flags, out, cwd, environment } = input;
		const { processes, servers } = await askHub({ cwd, environment });
		if (flags['json']) return out.json({ schema: 'orchestra.hub-ps/1', processes, servers });
		if (processes.length + servers.length === 0) return out.info('The hub owns no process now.');
		const rows = processes.map(({ backend, pid, memoryBytes, startedAt, lastCall, state, command }) => {
			const server = servers.find(({ name }) => name === backend);
			return [
				backend,
				String(pid),
				memoryBytes === null ? '-' : megabytes(memoryBytes),
				ageOf(startedAt),
				lastCall === null ? '-' : `${ageOf(lastCall)} ago`,
				state,
				server?.era ?? '-',
				server?.version ?? '-',
				server?.tools?.toString() ?? '-',
				command,
			];
		});
		const stopped = servers.filter(({ name }) => !processes.some(({ backend }) => backend === name));
		for (const { name, state, era, version, tools } of stopped) {
			rows.push([name, '-', '-', '-', '-', state, era ?? '-', version ?? '-', tools?.toString() ?? '-', '-']);
		}
		printTable(out, headings, rows, narrow);
		for (const note of servers.flatMap(downLines)) out.info(`mctl: ${printable(note)}`);
	},
};
