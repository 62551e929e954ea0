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
import { type Columns, rowsOf } from '../terminal/table.ts';
import type { Listing } from './listing.ts';

const whenEmpty = 'None is configured. `mctl init` writes a configuration to start from.';

/** A server of the list; what is not known of one that cannot be used is missing. */
type ServerRow = Omit<SourceReport, 'state'> & { state: string } & Partial<
		Pick<ListedServer, 'signIn' | 'command'>
	>;

const columns: Columns<ServerRow> = {
	SERVER: 'name',
	STATE: 'state',
	PID: 'pid',
	MEMORY: ({ memoryBytes }) => megabytes(memoryBytes),
	ERA: 'era',
	VERSION: 'version',
	TOOLS: 'tools',
	'SIGN-IN': signInText,
	COMMAND: 'command',
};

export const serverListing: Listing = {
	headings: Object.keys(columns),
	narrow: ['SERVER', 'STATE', 'TOOLS', 'COMMAND'],
	whenEmpty,

	async list({ cwd, environment }) {
		const { configuration, problems } = loadConfiguration({ cwd, environment });
		const items = await serverStatuses(configuration, { cwd, environment });
		const unused = unusedOf(configuration, problems);
		return {
			rows: rowsOf<ServerRow>([...items, ...unused.map(withNeed)], columns),
			items: [...items, ...unused.map(({ item }) => item)],
			problems,
			messages: items.flatMap(missingLines),
		};
	},
};

/** A server with its check; null for one that is disabled or cannot be used. */
type CheckedRow = ServerRow & { readonly check: ServerCheck | null };

const checkColumns: Columns<CheckedRow> = {
	SERVER: 'name',
	CHECK: ({ check, state }) => (check === null ? state : check.isOk ? 'ok' : 'FAILED'),
	TIME: ({ check }) => check && `${check.elapsedMs} ms`,
	TOOLS: ({ check }) => (check?.isOk ? check.tools : null),
	ERA: ({ check }) => (check?.isOk ? check.era : null),
	VERSION: ({ check }) => (check?.isOk ? check.version : null),
	'SIGN-IN': signInText,
	COMMAND: 'command',
};

/** The same, after every enabled server was started, listed and stopped. `isFailed` when one could not be used. */
export const checkedServerListing: Listing = {
	headings: Object.keys(checkColumns),
	narrow: ['SERVER', 'CHECK', 'TIME', 'TOOLS'],
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
		const checked = statuses.map((server) => {
			return { ...server, check: checks[enabled.findIndex(({ name }) => name === server.name)] ?? null };
		});
		const unused = unusedOf(configuration, problems);
		const unchecked = unused.map((each) => ({ ...withNeed(each), check: null }));
		return {
			rows: rowsOf<CheckedRow>([...checked, ...unchecked], checkColumns),
			items: [...checked, ...unused.map(({ item }) => ({ ...item, check: null }))],
			problems,
			messages: [...checked.flatMap(failureMessages), ...(await reviewMessages(enabled, environment))],
			isFailed: unused.length > 0 || checks.some(({ isOk }) => !isOk),
		};
	},
};

/** A server of the configuration that cannot be used. */
interface UnusedServer {
	/** The missing requirement, or `invalid`. */
	readonly need: string;
	readonly item: SourceReport & Pick<ListedServer, 'file' | 'isEnabled'>;
}

function unusedOf({ mcpServers }: Configuration, problems: readonly ConfigProblem[]): UnusedServer[] {
	return [...unusedServers(problems, mcpServers)].map(([id, own]) => {
		const [line] = problemLines(own);
		const error = line && new OrchestraError('bad_input', line.text, { hint: line.fix });
		const report = reportOf({ id, kind: 'mcp', status: { state: 'invalid', error } }, () => null);
		return { need: unusedState(own), item: { ...report, file: own[0]?.file ?? '', isEnabled: true } };
	});
}

/** The row of a server that cannot be used: its state is what it needs. */
function withNeed({ need, item }: UnusedServer): ServerRow {
	return { ...item, state: need };
}

/** The drift and the findings in the tools that were just listed. */
async function reviewMessages(
	entries: readonly ServerEntry[],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string[]> {
	const { serverDrifts } = await import('../../hub/server-drifts.ts');
	const { reviewLines } = await import('../doctor/check-pins.ts');
	return reviewLines(serverDrifts(entries, environment));
}

function signInText({ signIn = null }: ServerRow): string | null {
	return signIn === 'none' ? null : (signIn?.replace('_', ' ') ?? null);
}

function failureMessages({ name, check }: CheckedRow): string[] {
	if (check === null || check.isOk) return [];
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
