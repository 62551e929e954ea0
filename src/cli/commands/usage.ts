/* `mctl usage`: what the calls and the tool lists of this project cost, and what nobody uses. */
import { loadConfiguration } from '../../config/load.ts';
import { readUsage } from '../../hub/usage/read-usage.ts';
import { UNUSED_DAYS, UNUSED_MS } from '../../hub/usage/usage-limits.ts';
import type { UsageNumbers, UsageReport, UsageRow } from '../../hub/usage/usage-report.ts';
import { printable } from '../../printable.ts';
import { type Command, type CommandInput, refuseArgs, usageError } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { toolCosts } from '../list/list-tokens.ts';
import { sinceFlag } from '../log/read-journals.ts';
import { tableLines } from '../terminal/table.ts';

const groupings = { server: 'servers', tool: 'tools', client: 'clients' } as const;
type Grouping = keyof typeof groupings;

/** Rows for a user; `--json` has all. */
const SHOWN_ROWS = 20;
const SHOWN_UNUSED = 10;

export const usage: Command = {
	usage: 'mctl usage [--since 7d] [--by server|tool|client] [--json]',
	examples: [
		'mctl usage',
		'mctl usage --by tool --since 7d',
		"mctl usage --json | jq -r '.unused[].command'",
	],
	flags: {
		since: {
			type: 'string',
			value: '7d',
			help: `only the last hours or days (default ${UNUSED_DAYS} days)`,
		},
		by: { type: 'string', value: 'KIND', help: 'a row for each server (default), tool or client' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		refuseArgs(input, usage);
		const { flags, out, cwd, environment, signal } = input;
		const by = groupingOf(input);
		const until = Date.now();
		const since = sinceFlag(flags['since'], usage) ?? until - UNUSED_MS;
		const { configuration } = loadConfiguration({ cwd, environment });
		const usable = {
			tools: await toolCosts(input, configuration),
			servers: [
				...configuration.mcpServers.flatMap(({ name, isEnabled }) => (isEnabled ? [name] : [])),
				...configuration.plugins.flatMap(({ id, isEnabled }) => (isEnabled ? [id] : [])),
			],
		};
		const folder = hubFolderHere({ cwd, environment });
		folder.assertPrivate();
		const report = await readUsage(folder.journalFile, { since, until }, usable, { signal });
		if (flags['json']) return out.json({ schema: 'orchestra.usage/1', ...report });
		showCalls(report, by, input);
		showUnused(report, input);
	},
};

function groupingOf({ flags }: CommandInput): Grouping {
	const by = flags['by'] ?? 'server';
	const found = (Object.keys(groupings) as Grouping[]).find((each) => each === by);
	if (found) return found;
	throw usageError(usage, `--by takes server, tool or client, not "${String(by)}"`);
}

function showCalls(report: UsageReport, by: Grouping, input: CommandInput): void {
	const { out } = input;
	const rows = report[groupings[by]];
	if (rows.length === 0) return out.info('No calls in this time.');
	const cells = rows.slice(0, SHOWN_ROWS).map((row) => cellsOf(row.name, row));
	const headings = [by.toUpperCase(), 'CALLS', 'FAILED', 'P50', 'P95', 'DEFINITIONS', 'ARGUMENTS', 'RESULTS'];
	showTable(headings, [...cells, cellsOf('total', totalsOf(report, rows, by))], input, [0, 1, 2, 7]);
	if (rows.length > SHOWN_ROWS) out.info(`${rows.length - SHOWN_ROWS} more: --json has them`);
	const { search, views, budget } = report.totals.saved;
	out.line(
		`Saved: ${counted(search)} tokens by search, ${counted(views)} by views, ${counted(budget)} by shortened results.`,
	);
	out.info(`note: tokens are estimates, four characters each; definitions are ${definitionsOf(by)}`);
	if (report.isCut)
		out.info('note: the journals are longer than what is read of them; older calls are missing');
}

/** The definitions of all servers together, or those that clients read. */
function totalsOf({ totals }: UsageReport, rows: readonly UsageRow[], by: Grouping): UsageNumbers {
	if (by === 'client') return totals;
	return { ...totals, definitionTokens: rows.reduce((sum, row) => sum + (row.definitionTokens ?? 0), 0) };
}

function definitionsOf(by: Grouping): string {
	return by === 'client' ? 'those of all lists that the client read' : 'those of one list of all tools';
}

function cellsOf(name: string, numbers: UsageNumbers): string[] {
	const { calls, failed, p50Ms, p95Ms, definitionTokens, argumentTokens, resultTokens } = numbers;
	const ms = (time: number | null): string => (time === null ? '-' : `${Math.round(time)} ms`);
	const tokens = [definitionTokens, argumentTokens, resultTokens].map((count) =>
		count === null ? '-' : counted(count),
	);
	return [name, counted(calls), counted(failed), ms(p50Ms), ms(p95Ms), ...tokens];
}

function showUnused({ unused, unusedDays, journalFrom, until }: UsageReport, input: CommandInput): void {
	const { out } = input;
	if (unused.length === 0) return;
	const isKnown = journalFrom !== null && journalFrom <= until - UNUSED_MS;
	const from = journalFrom === null ? 'no calls' : `calls since ${new Date(journalFrom).toISOString()}`;
	out.line();
	out.line(`Not used in ${unusedDays} days${isKnown ? '' : ` (the journal has ${from})`}:`);
	const rows = unused
		.slice(0, SHOWN_UNUSED)
		.map((row) => [row.name, row.kind, counted(row.definitionTokens), row.command]);
	showTable(['NAME', 'KIND', 'TOKENS', 'TO LEAVE IT OUT'], rows, input, [0, 3]);
	if (unused.length > SHOWN_UNUSED) out.info(`${unused.length - SHOWN_UNUSED} more: --json has them`);
}

function showTable(
	headings: readonly string[],
	rows: readonly (readonly string[])[],
	{ out }: CommandInput,
	narrow: readonly number[],
): void {
	const width = out.isTerminal ? out.width : undefined;
	const [heading = '', ...lines] = tableLines(headings, rows, width, narrow);
	out.line(out.style('dim', heading));
	for (const line of lines) out.line(printable(line));
}

/** `12,345`. */
function counted(count: number): string {
	return count.toLocaleString('en-US');
}
