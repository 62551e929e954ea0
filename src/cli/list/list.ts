/* `mctl list`: what there is to call. */
import { loadConfiguration } from '../../config/load.ts';
import type { BlockedFile } from '../../config/trust/blocked.ts';
import { nearest } from '../../nearest.ts';
import { printable } from '../../printable.ts';
import { type Command, type CommandInput, jsonFlag, textFlag, usageError } from '../command.ts';
import { exitCodes } from '../exit.ts';
import { printProblems } from '../problem-lines.ts';
import { printRows } from '../terminal/table.ts';
import { blockedJson, reportBlocked } from '../trust-notice.ts';
import { type Listed, type Listing, listings } from './listing.ts';

const kinds = Object.keys(listings);
/** The items that can be called; kinds of which there is none are left out. */
const defaultKinds = ['tools', 'servers', 'plugins'];

interface Shown {
	readonly kind: string;
	readonly listing: Listing;
	readonly listed: Listed;
}

export const list: Command = {
	usage: `mctl list [${kinds.join('|')}|TARGET] [--tokens|--clients|--view NAME]`,
	examples: [
		'mctl list',
		'mctl list servers --check',
		'mctl list files                   # the tools of a server; also client:server, stdio:…, a URL',
		'mctl list --tokens',
		'mctl list --clients',
		"mctl list tools --json | jq -r '.tools[].id'",
	],
	flags: {
		check: { help: 'servers: start each one, list its tools, and stop it' },
		tokens: { help: 'what the tools of each server cost an agent in its context' },
		clients: { help: 'the servers that your MCP clients have, imported or not' },
		view: { value: 'NAME', help: 'tools: only those of this view' },
		examples: { help: 'list the bundled example tools too' },
		json: jsonFlag,
	},
	args: [0, 1, 'one list or server'],

	async run(input) {
		const shown = (await showTarget(input)) ?? (await showKinds(chooseKinds(input), input));
		const code = shown.some(({ listed }) => listed.isFailed) ? exitCodes.tool_failed : 0;
		const { blocked } = loadConfiguration(input);
		if (input.flags['json']) {
			printJson(input, shown, blocked);
			return code;
		}
		// The first kind says what to do when there is nothing at all.
		const isEmptyShown = blocked.length === 0;
		const filled = shown.filter(({ listed }, at) => (at === 0 && isEmptyShown) || listed.rows.length > 0);
		for (const each of filled) printListed(input, each, filled.length > 1);
		printProblems(problemsOf(shown), input.out);
		for (const message of await messagesOf(shown, input)) input.out.info(`mctl: ${printable(message)}`);
		reportBlocked(blocked, input.out);
		return code;
	},
};

/** The tools of one server, when the argument names one in place of a kind. */
async function showTarget(input: CommandInput): Promise<Shown[] | undefined> {
	const [arg] = input.args;
	if (arg === undefined || kinds.includes(arg)) return undefined;
	const { isAddress, ownerOf } = await import('../target/target-name.ts');
	const { prefixedServers } = await import('../target/call-target.ts');
	const { configuration } = loadConfiguration(input);
	const isServer = configuration.mcpServers.some(({ name }) => name === arg);
	if (!isServer && !isAddress(arg) && !ownerOf(arg, prefixedServers(configuration)).owner) return undefined;
	const listing = (await import('./list-target.ts')).targetListing(arg);
	return [{ kind: 'tools', listing, listed: await listing.list(input) }];
}

async function showKinds(kinds: readonly string[], input: CommandInput): Promise<Shown[]> {
	const view = textFlag(input, 'view');
	const isIn = view === undefined ? undefined : (await import('../view-flag.ts')).filterOfFlag(input, list);
	if (input.flags['tokens']) {
		const listing = (await import('./list-tokens.ts')).tokenListing(view);
		return [{ kind: 'tokens', listing, listed: await listing.list(input) }];
	}
	if (input.flags['clients']) {
		const { clientListing: listing } = await import('../target/client-servers.ts');
		return [{ kind: 'clients', listing, listed: await listing.list(input) }];
	}
	const shown: Shown[] = [];
	for (const kind of kinds) {
		const listing = input.flags['check'] ? await checkListing(kind) : await listings[kind]?.();
		if (!listing) continue;
		const listed = await listing.list(input);
		shown.push({ kind, listing, listed: kind === 'tools' && isIn ? inView(listed, isIn) : listed });
	}
	return shown;
}

/** The tools of a view. The first column is the name. */
function inView(listed: Listed, has: (tool: string) => boolean): Listed {
	const isIn = listed.rows.map(([name = '']) => has(name));
	const remaining = <T>(all: readonly T[]): T[] => all.filter((_, at) => isIn[at]);
	return { ...listed, rows: remaining(listed.rows), items: remaining(listed.items) };
}

function chooseKinds({ args, flags }: CommandInput): readonly string[] {
	const [kind] = args;
	if (kind === undefined) return flags['check'] ? ['servers'] : defaultKinds;
	if (kinds.includes(kind)) return [kind];
	const [guess] = nearest(kind, kinds);
	throw usageError(list, `there is no list of "${kind}"${guess ? `; did you mean ${guess}` : ''}`);
}

async function checkListing(kind: string): Promise<Listing> {
	if (kind !== 'servers') throw usageError(list, `--check is of servers: mctl list servers --check`);
	return (await import('./list-servers.ts')).checkedServerListing;
}

function printJson({ out }: CommandInput, shown: readonly Shown[], blocked: readonly BlockedFile[]): void {
	const items = Object.fromEntries(shown.map(({ kind, listed }) => [kind, listed.items]));
	const problems = problemsOf(shown);
	out.json({ schema: 'orchestra.list/1', ...items, problems, blocked: blockedJson(blocked) });
}

function printListed({ out }: CommandInput, { kind, listing, listed }: Shown, isOneOfMany: boolean): void {
	const { rows } = listed;
	if (rows.length === 0) {
		if (!isOneOfMany) out.info(listing.whenEmpty);
		return;
	}
	if (isOneOfMany) out.line(out.style('bold', kind.toUpperCase()));
	printRows(out, listing.headings, rows, listing.narrow);
	if (isOneOfMany) out.line();
}

/** The messages, with the servers that are down, whose items are missing. The list of servers has them itself. */
async function messagesOf(shown: readonly Shown[], { cwd, environment }: CommandInput): Promise<string[]> {
	const messages = [...new Set(shown.flatMap(({ listed }) => listed.messages ?? []))];
	const kinds = shown.map(({ kind }) => kind);
	if (kinds.includes('servers') || !kinds.some((kind) => ['tools', 'prompts', 'resources'].includes(kind)))
		return messages;
	const { configuration } = loadConfiguration({ cwd, environment });
	const { missingLines, serverStatuses } = await import('../learn/server-statuses.ts');
	const statuses = await serverStatuses(configuration, { cwd, environment });
	return [...messages, ...statuses.filter(({ isEnabled }) => isEnabled).flatMap(missingLines)];
}

function problemsOf(shown: readonly Shown[]): Listed['problems'] {
	const all = shown.flatMap(({ listed }) => listed.problems);
	// Every kind reads the same configuration; its problems are reported once.
	return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}
