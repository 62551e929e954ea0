/* `mctl list servers`: every MCP server with its state; with `--check` each is started once. `mctl list plugins`. */
import type { Configuration, ServerEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import type { ConfigProblem } from '../../config/problem.ts';
import { OrchestraError } from '../../errors.ts';
import { reportOf, type SourceReport } from '../../hub/source-status.ts';
import { commandLine } from '../../process/spawn-record.ts';
import type { ServerCheck } from '../learn/check-servers.ts';
import { type ListedServer, missingLines, serverStatuses } from '../learn/server-statuses.ts';
import { problemLines, unusedServers, unusedState } from '../problem-lines.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import { megabytes } from '../terminal/quantity.ts';
import type { Listing } from './listing.ts';

const whenEmpty = 'None is configured. `mctl init` writes a configuration to start from.';

export const serverListing: Listing = {
	headings: ['SERVER', 'STATE', 'PID', 'MEMORY', 'ERA', 'VERSION', 'TOOLS', 'SIGN-IN', 'COMMAND'],
	narrow: [0, 1, 6, 8],
	whenEmpty,

	async list({ cwd, environment }) {
		const { configuration, problems } = loadConfiguration({ cwd, environment });
		const items = await serverStatuses(configuration, { cwd, environment });
		const unused = unusedOf(configuration, problems);
		return {
			rows: [
				...items.map(rowOf),
				...unused.map(({ need, item }) => [item.name, need, ...dashes(serverListing, 2)]),
			],
			items: [...items, ...unused.map(({ item }) => item)],
			problems,
			notes: items.flatMap(missingLines),
		};
	},
};

/** The same, after every enabled server was started, listed and stopped. `isFailed` when one could not be used. */
export const checkedServerListing: Listing = {
	headings: ['SERVER', 'CHECK', 'TIME', 'TOOLS', 'ERA', 'VERSION', 'SIGN-IN', 'COMMAND'],
	narrow: [0, 1, 2, 3],
	whenEmpty,

	async list(input) {
		const { cwd, environment, signal, out } = input;
		const { configuration, problems } = loadConfiguration({ cwd, environment });
		const { checkServers } = await import('../learn/check-servers.ts');
		const statuses = await serverStatuses(configuration, { cwd, environment });
		const enabled = configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
		const bar = new ProgressBar(out);
		const showCount = (progress: number): void =>
			bar.show({ progress, total: enabled.length, message: 'servers checked' });
		showCount(0);
		const checks = await checkServers(enabled, { cwd, environment, signal }, showCount).finally(() =>
			bar.end(),
		);
		const checkOf = ({ name }: ListedServer): ServerCheck | undefined =>
			checks[enabled.findIndex((entry) => entry.name === name)];
		const unused = unusedOf(configuration, problems);
		return {
			rows: [
				...statuses.map((server) => checkedRow(server, checkOf(server))),
				...unused.map(({ need, item }) => [item.name, need, ...dashes(checkedServerListing, 2)]),
			],
			items: [
				...statuses.map((server) => ({ ...server, check: checkOf(server) ?? null })),
				...unused.map(({ item }) => ({ ...item, check: null })),
			],
			problems,
			notes: [
				...statuses.flatMap((server) => failureNotes(server, checkOf(server))),
				...(await reviewNotes(enabled, environment)),
			],
			isFailed: unused.length > 0 || checks.some(({ isOk }) => !isOk),
		};
	},
};

/** A server of the configuration that cannot be used, as a row and as an item. */
interface UnusedServer {
	/** The missing requirement, or `invalid`. */
	readonly need: string;
	readonly item: SourceReport & Pick<ListedServer, 'file' | 'isEnabled'>;
}

function unusedOf({ mcpServers }: Configuration, problems: readonly ConfigProblem[]): UnusedServer[] {
	return [...unusedServers(problems, mcpServers)].map(([id, own]) => {
		const [note] = problemLines(own);
		const error = note && new OrchestraError('bad_input', note.text, { hint: note.fix });
		const report = reportOf({ id, kind: 'mcp', status: { state: 'invalid', error } }, () => null);
		return { need: unusedState(own), item: { ...report, file: own[0]?.file ?? '', isEnabled: true } };
	});
}

function dashes({ headings }: Listing, from: number): string[] {
	return headings.slice(from).map(() => '-');
}

/** The drift and the findings in the tools that were just listed. */
async function reviewNotes(
	entries: readonly ServerEntry[],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string[]> {
	const { serverDrifts } = await import('../../hub/server-drifts.ts');
	const { reviewLines } = await import('../doctor/check-pins.ts');
	return reviewLines(serverDrifts(entries, environment));
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
	if (check === undefined) return [name, 'disabled', '-', '-', '-', '-', ...last];
	const time = `${check.elapsedMs} ms`;
	if (!check.isOk) return [name, 'FAILED', time, '-', '-', '-', ...last];
	return [name, 'ok', time, String(check.tools), check.era, check.version ?? '-', ...last];
}

function failureNotes({ name }: ListedServer, check: ServerCheck | undefined): string[] {
	if (check === undefined || check.isOk) return [];
	const { message, hint } = check.error;
	return [`${name}: ${message}${hint === undefined ? '' : `\nhint: ${hint}`}`];
}

/** The plugins that the configuration names. */
export const pluginListing: Listing = {
	headings: ['PLUGIN', 'STATE', 'COMMAND'],
	whenEmpty: 'None is configured. `mctl new plugin my-plugin` writes one.',

	async list({ cwd, environment }) {
		const { configuration, problems } = loadConfiguration({ cwd, environment });
		const items = configuration.plugins.map(({ id, binary, args, isEnabled, file }) => {
			return { id, isEnabled, command: commandLine({ command: binary, args }), file };
		});
		const rows = items.map(({ id, isEnabled, command }) => [
			id,
			isEnabled ? 'configured' : 'disabled',
			command,
		]);
		return { rows, items, problems };
	},
};
