/*
 * Counts the lines of journals, one by one in any order, and makes the report of them.
 *
 * A line is a call (`journal-line.ts`), or the tokens of a list or of a result that was shortened.
 * Anything else is skipped.
 */
import { estimateTokensOf } from '../../library/match/tokens.ts';
import { quoted } from '../../printable.ts';
import { isObject, jsonObject } from '../../wire/json.ts';
import { CallNumbers, type CountedCall } from './call-numbers.ts';
import { COUNTED_NAMES, TIMELINE_STEPS, UNUSED_DAYS, UNUSED_MS, USAGE_ROWS } from './usage-limits.ts';
import type { SavedTokens, ToolCost, UnusedRow, UsageReport, UsageRow } from './usage-report.ts';

/** The items that can be used. */
export interface UsableItems {
	/** Every tool of the list. */
	readonly tools: readonly ToolCost[];
	/** The servers and plugins that can be disabled. */
	readonly servers: readonly string[];
}

type Groups = Map<string, CallNumbers>;

export class UsageCounts {
	readonly #since: number;
	readonly #until: number;
	readonly #totals = new CallNumbers();
	readonly #servers: Groups = new Map();
	readonly #tools: Groups = new Map();
	readonly #clients: Groups = new Map();
	readonly #serverOf = new Map<string, string>();
	/** Names that were called since they could count as unused. */
	readonly #used = new Set<string>();
	readonly #timeline: { calls: number[]; failed: number[]; tokens: number[] };
	#journalFrom: number | null = null;
	#isCut = false;

	/** Counts calls that began within this time. */
	constructor(since: number, until: number) {
		this.#since = since;
		this.#until = until;
		const none = (): number[] => Array.from({ length: TIMELINE_STEPS }, () => 0);
		this.#timeline = { calls: none(), failed: none(), tokens: none() };
	}

	/** Lines before this time do not change the report. */
	get readFrom(): number {
		return Math.min(this.#since, this.#unusedFrom);
	}

	get #unusedFrom(): number {
		return this.#until - UNUSED_MS;
	}

	/** Older lines are left out. */
	cut(): void {
		this.#isCut = true;
	}

	add(text: string): void {
		const line = jsonObject(text);
		const at = Date.parse(String(line?.['at']));
		if (line === undefined || Number.isNaN(at)) return;
		this.#journalFrom = Math.min(at, this.#journalFrom ?? at);
		if (at > this.#until) return;
		const { client, backend, name, tool, tokens } = line;
		const who = { client: String(client), server: textOf(backend), tool: textOf(tool) };
		if (isObject(tokens)) this.#addTokens(at, tokens, who);
		else if (typeof name === 'string' && typeof line['outcome'] === 'string')
			this.#addCall(callOf(line, at), { ...who, tool: line['method'] === 'tools/call' ? name : undefined });
	}

	#addCall(call: CountedCall, who: Who): void {
		if (call.at >= this.#unusedFrom) for (const name of usedNames(who)) this.#used.add(name);
		if (call.at < this.#since) return;
		if (who.tool !== undefined && who.server !== undefined) this.#serverOf.set(who.tool, who.server);
		for (const numbers of this.#groupsOf(who)) numbers.add(call);
		const step = this.#stepOf(call.at);
		const { calls, failed, tokens } = this.#timeline;
		calls[step] = (calls[step] ?? 0) + 1;
		if (call.isFailed) failed[step] = (failed[step] ?? 0) + 1;
		tokens[step] = (tokens[step] ?? 0) + call.argumentTokens + call.resultTokens;
	}

	#addTokens(at: number, tokens: object, who: Who): void {
		if (at < this.#since) return;
		const { sent, ...saved } = tokensOf(tokens);
		for (const numbers of this.#groupsOf(who)) numbers.addTokens(sent, saved);
	}

	#groupsOf({ client, server, tool }: Who): CallNumbers[] {
		const found = [
			this.#group(this.#clients, client),
			this.#group(this.#servers, server),
			this.#group(this.#tools, tool),
		];
		return [this.#totals, ...found.flatMap((each) => each ?? [])];
	}

	#group(groups: Groups, name: string | undefined): CallNumbers | undefined {
		const known = name === undefined ? undefined : groups.get(name);
		if (known || name === undefined) return known;
		if (groups.size >= COUNTED_NAMES) return void (this.#isCut = true);
		const made = new CallNumbers();
		groups.set(name, made);
		return made;
	}

	get #stepMs(): number {
		return Math.max(1, Math.ceil((this.#until + 1 - this.#since) / TIMELINE_STEPS));
	}

	#stepOf(at: number): number {
		return Math.floor((at - this.#since) / this.#stepMs);
	}

	report(items: UsableItems): UsageReport {
		const prices = new Map(items.tools.map((tool) => [tool.name, tool.tokens]));
		const serverPrices = new Map<string, number>();
		for (const { server, tokens } of items.tools)
			serverPrices.set(server, (serverPrices.get(server) ?? 0) + tokens);
		return {
			since: this.#since,
			until: this.#until,
			journalFrom: this.#journalFrom,
			totals: this.#totals.numbers(),
			servers: this.#rows(this.#servers, (name) => serverPrices.get(name) ?? null),
			tools: this.#rows(this.#tools, (name) => prices.get(name) ?? null),
			clients: this.#rows(this.#clients, () => undefined),
			timeline: { from: this.#since, stepMs: this.#stepMs, ...this.#timeline },
			unusedDays: UNUSED_DAYS,
			unused: this.#unused(items, serverPrices),
			isCut: this.#isCut,
		};
	}

	#rows(groups: Groups, priceOf: (name: string) => number | null | undefined): UsageRow[] {
		const rows = [...groups].map(([name, group]): UsageRow => {
			const server = groups === this.#tools ? (this.#serverOf.get(name) ?? null) : null;
			return { name, server, ...group.numbers(priceOf(name)), lastCallAt: group.lastCallAt };
		});
		if (rows.length > USAGE_ROWS) this.#isCut = true;
		return rows.sort((one, other) => other.calls - one.calls).slice(0, USAGE_ROWS);
	}

	#unused({ tools, servers }: UsableItems, prices: ReadonlyMap<string, number>): UnusedRow[] {
		const idle = servers.filter((name) => !this.#used.has(serverKey(name)));
		const idleTools = tools.filter(
			({ name, server }) => !idle.includes(server) && servers.includes(server) && !this.#used.has(name),
		);
		const rows = [
			...idle.map((name): UnusedRow => {
				const command = `mctl disable ${quoted(name)}`;
				return { kind: 'server', name, server: name, definitionTokens: prices.get(name) ?? 0, command };
			}),
			...idleTools.map(({ name, server, tokens }): UnusedRow => {
				const command = `mctl policy add ${quoted(name)} deny --hide`;
				return { kind: 'tool', name, server, definitionTokens: tokens, command };
			}),
		];
		if (rows.length > USAGE_ROWS) this.#isCut = true;
		const kinds = ['server', 'tool'];
		return rows
			.sort(
				(one, other) =>
					kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
					other.definitionTokens - one.definitionTokens,
			)
			.slice(0, USAGE_ROWS);
	}
}

/** Whom a line is about. */
interface Who {
	readonly client: string;
	readonly server: string | undefined;
	readonly tool: string | undefined;
}

function usedNames({ server, tool }: Who): string[] {
	return [...(server === undefined ? [] : [serverKey(server)]), ...(tool === undefined ? [] : [tool])];
}

/** Apart from the tools: no tool has a space in its name. */
function serverKey(server: string): string {
	return `server ${server}`;
}

function callOf(line: Readonly<Record<string, unknown>>, at: number): CountedCall {
	return {
		at,
		ms: countOf(line['ms']),
		isFailed: line['outcome'] !== 'ok',
		argumentTokens: estimateTokensOf(countOf(line['argumentsBytes'] ?? line['argumentsHashedBytes'])),
		resultTokens: estimateTokensOf(countOf(line['resultBytes'] ?? line['resultHashedBytes'])),
	};
}

function tokensOf(tokens: object): SavedTokens & { sent: number } {
	const read = (name: string): number => countOf(Reflect.get(tokens, name));
	return { sent: read('sent'), search: read('search'), views: read('views'), budget: read('budget') };
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function countOf(value: unknown): number {
	return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0;
}
