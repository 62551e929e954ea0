/*
 * The calls of one client, as its limits see them: how many of late, and whether it makes the same
 * call again and again.
 *
 * A call that passes as text is compared by name and length first, so a client that does not repeat
 * itself costs two comparisons. Arguments are equal when their values are, in whatever form.
 */
import type { CallRates } from '../../config/configuration.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { member } from '../../wire/message-member.ts';
import { MessageView } from '../../wire/message-view.ts';
import { isLarger } from '../results/value-size.ts';
import { COMPARED_CHARACTERS, COUNTED_TARGETS, LOOP_MS } from './loop-limits.ts';

/** The limits of the calls of a client. */
export interface ClientLimits {
	readonly rates: CallRates | undefined;
	/** Most equal calls in a row within a minute; 0 for any number. */
	readonly identical: number;
}

/** The tool of a call. */
export interface LimitedTool {
	readonly name: string;
	readonly backend: string;
}

/** Why a call is not made. */
export interface ExceededLimit {
	/** The key of the configuration. */
	readonly rule: string;
	/** A part of a sentence. */
	readonly reason: string;
	readonly leftMs: number;
}

/** Arguments that were compared last; `length` of their text where they came as text. */
interface ComparedCall {
	readonly name: string;
	readonly length: number | undefined;
	/** Undefined when they are too long. */
	readonly key: (() => string) | undefined;
}

export class ClientCalls {
	readonly #limits: ClientLimits;
	readonly #now: () => number;
	readonly #buckets = new Map<string, TokenBucket>();
	/** Those of each tool: they are looked up once for all its calls. */
	readonly #ofTools = new Map<string, readonly CountedRate[]>();
	/** The rates that the last call was counted in. */
	#taken: readonly CountedRate[] = [];
	#last: ComparedCall | undefined;
	/** When each of the last equal calls began, the oldest first. */
	#times: number[] = [];

	constructor(limits: ClientLimits, now: () => number) {
		this.#limits = limits;
		this.#now = now;
	}

	/** Count a call with these arguments, or the message that has them; a limit that it exceeds counts nothing. */
	admit(tool: LimitedTool, input: unknown): ExceededLimit | undefined {
		const { rates, identical } = this.#limits;
		const repeated = identical > 0 ? this.#repeated(tool, input, identical) : undefined;
		if (repeated) return repeated;
		if (rates === undefined) return void (identical > 0 && this.#times.push(this.#now()));
		const now = this.#now();
		const found = this.#ratesOf(tool, rates, now);
		for (const { bucket, rule, rate } of found) {
			const leftMs = bucket.leftMs(now);
			if (leftMs > 0) return { rule, reason: `this client makes more than ${rate} calls a minute`, leftMs };
		}
		this.#taken = found;
		for (const { bucket } of found) bucket.take(now);
		if (identical > 0) this.#times.push(now);
	}

	/** The last call that was admitted is not made after all. */
	withdraw(): void {
		this.#times.pop();
		for (const { bucket } of this.#taken) bucket.giveBack();
		this.#taken = [];
	}

	/** A user allows it to go on. */
	reset(): void {
		this.#times = [];
		this.#forget();
	}

	#repeated({ name }: LimitedTool, input: unknown, most: number): ExceededLimit | undefined {
		const call = comparedCall(name, input);
		if (!isSame(this.#last, call)) this.#times = [];
		this.#last = call;
		if (this.#times.length < most) return undefined;
		this.#times = this.#times.slice(-most);
		const leftMs = (this.#times[0] ?? 0) + LOOP_MS - this.#now();
		if (leftMs <= 0) return undefined;
		const reason = `this client made the same call ${most} times in a row within a minute`;
		return { rule: 'limits.identicalCalls', reason, leftMs };
	}

	#ratesOf(tool: LimitedTool, rates: CallRates, now: number): readonly CountedRate[] {
		const key = `${tool.backend}\n${tool.name}`;
		const known = this.#ofTools.get(key);
		if (known) return known;
		if (this.#ofTools.size >= COUNTED_TARGETS) this.#forget();
		const made = countedTargets.flatMap(([of, targetOf]): CountedRate[] => {
			const rate = rates[of];
			if (rate === undefined) return [];
			const target = targetOf(tool);
			const bucket = this.#buckets.get(target) ?? new TokenBucket(rate, LOOP_MS, now);
			this.#buckets.set(target, bucket);
			return [{ rule: `limits.callsPerMinute.${of}`, rate, bucket }];
		});
		this.#ofTools.set(key, made);
		return made;
	}

	#forget(): void {
		this.#buckets.clear();
		this.#ofTools.clear();
	}
}

/** A token bucket: so many within a time at once, and one more whenever its part of the time has passed. */
class TokenBucket {
	readonly #size: number;
	readonly #msEach: number;
	#tokens: number;
	#filledAt: number;

	/** @param size tokens when it is full @param fillMs how long an empty one takes to be full */
	constructor(size: number, fillMs: number, now: number) {
		this.#size = size;
		this.#msEach = fillMs / size;
		this.#tokens = size;
		this.#filledAt = now;
	}

	/** How long until one can be taken, in milliseconds; 0 for now. */
	leftMs(now: number): number {
		this.#fill(now);
		return this.#tokens >= 1 ? 0 : (1 - this.#tokens) * this.#msEach;
	}

	take(now: number): void {
		this.#fill(now);
		this.#tokens--;
	}

	/** One was not needed. */
	giveBack(): void {
		this.#tokens = Math.min(this.#size, this.#tokens + 1);
	}

	#fill(now: number): void {
		this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#filledAt) / this.#msEach);
		this.#filledAt = now;
	}
}

/** A rate with what is left of it. */
interface CountedRate {
	readonly rule: string;
	readonly rate: number;
	readonly bucket: TokenBucket;
}

/** The subject whose calls are counted, for each kind of rate. */
const countedTargets: readonly (readonly [keyof CallRates, (tool: LimitedTool) => string])[] = [
	['client', () => ''],
	['server', ({ backend }) => `server ${backend}`],
	['tool', ({ name }) => `tool ${name}`],
];

function comparedCall(name: string, input: unknown): ComparedCall {
	if (!(input instanceof MessageView)) {
		const value = input ?? {};
		const isLong = isLarger(value, COMPARED_CHARACTERS);
		return { name, length: undefined, key: isLong ? undefined : () => canonicalJson(value) };
	}
	const length = input.lengthOf(member.arguments);
	if (length > COMPARED_CHARACTERS) return { name, length, key: undefined };
	const source = input.source(member.arguments) ?? '{}';
	const { isCanonical } = input;
	return { name, length, key: () => (isCanonical ? source : canonicalJson(JSON.parse(source))) };
}

function isSame(one: ComparedCall | undefined, other: ComparedCall): boolean {
	if (one?.name !== other.name || !one.key || !other.key) return false;
	const mayBeEqual = one.length === undefined || other.length === undefined || one.length === other.length;
	return mayBeEqual && one.key() === other.key();
}
