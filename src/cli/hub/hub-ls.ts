/* `mctl hub ls` and `mctl hub ps`: every shared hub of this user, and every process that the hub of this folder owns. */
import { homedir } from 'node:os';
import { memoryOf } from '../../hub/shared/hub-details.ts';
import { HubFolder } from '../../hub/shared/hub-folder.ts';
import { type HubEntry, HubRegistry } from '../../hub/shared/hub-registry.ts';
import { printable } from '../../printable.ts';
import { type Command, jsonFlag } from '../command.ts';
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
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, out, environment } = input;
		const hubs = await Promise.all(runningHubs(environment).map((entry) => describe(entry, environment)));
		if (flags['json']) {
			const shown = hubs.map(({ startTime: _start, ...hub }) => hub);
			return out.json({ schema: 'orchestra.hub-ls/1', hubs: shown });
		}
		if (hubs.length === 0) return out.info('No hub is running.');
		printTable(out, hubs, ['PID', 'VERSION', 'CLIENTS', 'PROJECT'], {
			PID: 'pid',
			VERSION: 'version',
			UP: ({ startedAt }) => ageOf(startedAt),
			CLIENTS: ({ clients }) => clients ?? 'not responding',
			MEMORY: ({ memoryBytes }) => megabytes(memoryBytes),
			PROJECT: 'root',
			'STATE FOLDER': 'statePath',
		});
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

export const hubPs: Command = {
	usage: 'mctl hub ps [--json]',
	examples: ['mctl hub ps', "mctl hub ps --json | jq -r '.processes[].pid'"],
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const { processes, servers } = await askHub({ cwd, environment });
		if (flags['json']) return out.json({ schema: 'orchestra.hub-ps/1', processes, servers });
		if (processes.length + servers.length === 0) return out.info('The hub owns no process now.');
		const stopped = servers.filter(({ name }) => !processes.some(({ backend }) => backend === name));
		const all = [
			...processes.map((found) => ({ found, server: servers.find(({ name }) => name === found.backend) })),
			...stopped.map((server) => ({ found: undefined, server })),
		];
		printTable(out, all, ['BACKEND', 'PID', 'MEMORY', 'STATE', 'COMMAND'], {
			BACKEND: ({ found, server }) => found?.backend ?? server?.name,
			PID: ({ found }) => found?.pid,
			MEMORY: ({ found }) => found && megabytes(found.memoryBytes),
			AGE: ({ found }) => found && ageOf(found.startedAt),
			'LAST CALL': ({ found }) => found?.lastCall && `${ageOf(found.lastCall)} ago`,
			STATE: ({ found, server }) => (found ?? server)?.state,
			ERA: ({ server }) => server?.era,
			VERSION: ({ server }) => server?.version,
			TOOLS: ({ server }) => server?.tools,
			COMMAND: ({ found }) => found?.command,
		});
		for (const line of servers.flatMap(downLines)) out.info(`mctl: ${printable(line)}`);
	},
};
