/* `mctl list servers`: every MCP server with its state; with `--check` each is started once. */
import type { ServerEntry } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import type { ServerCheck } from './check-servers.ts';
import { downNotes } from './down-notes.ts';
import type { Listing } from './listing.ts';
import { type ListedServer, serverStatuses } from './server-statuses.ts';
import { ProgressBar } from './terminal/progress-bar.ts';
import { megabytes } from './terminal/quantity.ts';

const whenEmpty = 'None is configured. `mctl init` writes a configuration to start from.';

export const serverListing: Listing = {
	headings: ['SERVER', 'STATE', 'PID', 'MEMORY', 'ERA', 'VERSION', 'TOOLS', 'SIGN-IN', 'COMMAND'],
	narrow: [0, 1, 6, 8],
	whenEmpty,

	async list({ environment }) {
		const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
		const items = await serverStatuses(configuration, environment);
		return { rows: items.map(rowOf), items, problems, notes: items.flatMap(downNotes) };
	},
};

/** The same, after every enabled server was started, listed and stopped. `isFailed` when one could not be used. */
export const checkedServerListing: Listing = {
	headings: ['SERVER', 'CHECK', 'TIME', 'TOOLS', 'ERA', 'VERSION', 'SIGN-IN', 'COMMAND'],
	narrow: [0, 1, 2, 3],
	whenEmpty,

	async list(input) {
		const { environment, signal, out } = input;
		const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
		const { checkServers } = await import('./check-servers.ts');
		const statuses = await serverStatuses(configuration, environment);
		const enabled = configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
		const bar = new ProgressBar(out);
		const showCount = (progress: number): void =>
			bar.show({ progress, total: enabled.length, message: 'servers checked' });
		showCount(0);
		const checks = await checkServers(enabled, { environment, signal }, showCount).finally(() => bar.end());
		const checkOf = ({ name }: ListedServer): ServerCheck | undefined =>
			checks[enabled.findIndex((entry) => entry.name === name)];
		return {
			rows: statuses.map((server) => checkedRow(server, checkOf(server))),
			items: statuses.map((server) => ({ ...server, check: checkOf(server) ?? null })),
			problems,
			notes: [
				...statuses.flatMap((server) => failureNotes(server, checkOf(server))),
				...(await reviewNotes(enabled, environment)),
			],
			isFailed: checks.some(({ isOk }) => !isOk),
		};
	},
};

/** What was not accepted, and what is suspicious, in the tools that were just listed. */
async function reviewNotes(
	entries: readonly ServerEntry[],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string[]> {
	const { serverDrifts } = await import('../hub/server-drifts.ts');
	const { reviewTexts } = await import('./check-pins.ts');
	return reviewTexts(serverDrifts(entries, environment));
}

function rowOf(server: ListedServer): string[] {
	const { name, state, pid, memoryBytes, era, version, tools, signIn, command } = server;
	return [
		name,
		state,
		pid === null ? '-' : String(pid),
		memoryBytes === null ? '-' : megabytes(memoryBytes),
		era ?? '-',
		version ?? '-',
		tools === null ? '-' : String(tools),
		signInText(signIn),
		command,
	];
}

/** How the sign-in is shown. */
function signInText(signIn: ListedServer['signIn']): string {
	return signIn === null || signIn === 'none' ? '-' : signIn.replace('_', ' ');
}

function checkedRow({ name, signIn, command }: ListedServer, check: ServerCheck | undefined): string[] {
	const last = [signInText(signIn), command];
	if (check === undefined) return [name, 'off', '-', '-', '-', '-', ...last];
	const time = `${check.elapsedMs} ms`;
	if (!check.isOk) return [name, 'FAILED', time, '-', '-', '-', ...last];
	return [name, 'ok', time, String(check.tools), check.era, check.version ?? '-', ...last];
}

function failureNotes({ name }: ListedServer, check: ServerCheck | undefined): string[] {
	if (check === undefined || check.isOk) return [];
	const { message, hint } = check.error;
	return [`${name}: ${message}${hint === undefined ? '' : `\nhint: ${hint}`}`];
}
