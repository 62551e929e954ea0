/* `mctl list servers`: every MCP server with its state; with `--check` each is started once. */
import { loadConfiguration } from '../config/load.ts';
import type { Listing } from './listing.ts';
import { type ListedServer, serverStatuses } from './server-statuses.ts';
import { ageOf, megabytes, timeUntil } from './terminal/quantity.ts';

export const serverListing: Listing = {
	headings: ['SERVER', 'STATE', 'PID', 'MEMORY', 'ERA', 'VERSION', 'TOOLS', 'COMMAND'],
	narrow: [0, 1, 6, 7],
	whenEmpty: 'None is configured. `mctl init` writes a configuration to start from.',

	async list({ environment }) {
		const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
		const items = await serverStatuses(configuration, environment);
		return { rows: items.map(rowOf), items, problems, notes: items.flatMap(noteOf) };
	},
};

function rowOf(server: ListedServer): string[] {
	const { name, state, pid, memoryBytes, era, version, tools, command } = server;
	return [
		name,
		state,
		pid === null ? '-' : String(pid),
		memoryBytes === null ? '-' : megabytes(memoryBytes),
		era ?? '-',
		version ?? '-',
		tools === null ? '-' : String(tools),
		command,
	];
}

/** Why a server is down, and when it is started again. */
function noteOf({ name, lastError, nextTryAt, startedAt, state }: ListedServer): string[] {
	if (lastError === null || state === 'ready') return [];
	const next = nextTryAt === null ? '' : `; next try ${timeUntil(nextTryAt)}`;
	const since = startedAt === null ? '' : `, started ${ageOf(startedAt)} ago`;
	return [`${name} ${state}${since}: ${lastError}${next}`];
}
