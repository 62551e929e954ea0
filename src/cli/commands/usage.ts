/* `mctl usage`: what the calls and the tool lists of this project cost, and what is unused. */
import { loadConfiguration } from '../../config/load.ts';
import { readUsage } from '../../hub/usage/read-usage.ts';
import { UNUSED_DAYS, UNUSED_MS } from '../../hub/usage/usage-limits.ts';
import type { UsageNumbers, UsageReport, UsageRow } from '../../hub/usage/usage-report.ts';
import { type Command, type CommandInput, jsonFlag, usageError } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { toolCosts } from '../list/list-tokens.ts';
import { sinceFlag } from '../log/read-journals.ts';
import type { Output } from '../terminal/output.ts';
import { printTable } from '../terminal/table.ts';

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
		since: { value: '7d', help: `only the last hours or days (default ${UNUSED_DAYS} days)` },
		by: { value: 'KIND', help: 'a row for each server (default), tool or client' },
		json: jsonFlag,
	},

	async run(input) {
		const { flags, out, cwd, environment, signal } = input;
		const by = groupingOf(input);
		const until = Date.now();
		const since = sinceFlag(input, usage) ?? until - UNUSED_MS;
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
		showCalls(report, by, out);
		showUnused(report, out);
	},
};

function groupingOf({ flags }: CommandInput): Grouping {
	const by = flags['by'] ?? 'server';
	const found = (Object.keys(groupings) as Grouping[]).find((each) => each === by);
	if (found) return found;
	throw usageError(usage, `--by takes server, tool or client, not "${String(by)}"`);
}

function showCalls(report: UsageReport, by: Grouping, out: Output): void {
	const rows = report[groupings[by]];
	if (rows.length === 0) return out.info('No calls in this time.');
	const shown = [...rows.slice(0, SHOWN_ROWS), { ...totalsOf(report, rows, by), name: 'total' }];
	printTable<UsageNumbers & { name: string }>(out, shown, [by.toUpperCase(), 'CALLS', 'FAILED', 'RESULTS'], {
		[by.toUpperCase()]: 'name',
		CALLS: ({ calls }) => formatNumber(calls),
		FAILED: ({ failed }) => formatNumber(failed),
		P50: ({ p50Ms }) => milliseconds(p50Ms),
		P95: ({ p95Ms }) => milliseconds(p95Ms),
		DEFINITIONS: ({ definitionTokens }) => definitionTokens && formatNumber(definitionTokens),
		ARGUMENTS: ({ argumentTokens }) => formatNumber(argumentTokens),
		RESULTS: ({ resultTokens }) => formatNumber(resultTokens),
	});
	if (rows.length > SHOWN_ROWS) out.info(`${rows.length - SHOWN_ROWS} more: --json has them`);
	const { search, views, budget } = report.totals.saved;
	out.line(
		`Saved: ${formatNumber(search)} tokens by search, ${formatNumber(views)} by views, ${formatNumber(budget)} by shortened results.`,
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

function milliseconds(time: number | null): string | null {
	return time === null ? null : `${Math.round(time)} ms`;
}

function showUnused({ unused, unusedDays, journalFrom, until }: UsageReport, out: Output): void {
	if (unused.length === 0) return;
	const isKnown = journalFrom !== null && journalFrom <= until - UNUSED_MS;
	const from = journalFrom === null ? 'no calls' : `calls since ${new Date(journalFrom).toISOString()}`;
	out.line();
	out.line(`Not used in ${unusedDays} days${isKnown ? '' : ` (the journal has ${from})`}:`);
	printTable(out, unused.slice(0, SHOWN_UNUSED), ['NAME', 'TO LEAVE IT OUT'], {
		NAME: 'name',
		KIND: 'kind',
		TOKENS: ({ definitionTokens }) => formatNumber(definitionTokens),
		'TO LEAVE IT OUT': 'command',
	});
	if (unused.length > SHOWN_UNUSED) out.info(`${unused.length - SHOWN_UNUSED} more: --json has them`);
}

/** `12,345`. */
function formatNumber(count: number): string {
	return count.toLocaleString('en-US');
}
