/*
 * Match a regular expression in time bounded by text × pattern.
 *
 * The engine of the language backtracks: 28 characters can keep `^(a+)+$` busy for
 * seconds and block the event loop. Here a pattern becomes a small program, and a
 * pair of instruction and position that failed is never tried twice (memoization). Backreferences cannot be bounded like this and are refused
 * (`docs/decisions/0009-bounded-patterns.md`).
 */
import { type PatternNode, parsePattern, refusedPattern } from './pattern-syntax.ts';
import { PATTERN_PROGRAM_LIMIT, PATTERN_STEP_LIMIT } from './schema-limits.ts';

type Test = (code: number) => boolean;
type Instruction =
	| { kind: 'character'; test: Test; step: 1 | -1 }
	| { kind: 'split'; to: number; other: number }
	| { kind: 'assertion'; source: '^' | '$' | '\\b' | '\\B' }
	| { kind: 'look'; start: number; isNegated: boolean; end: number }
	| { kind: 'match' };

/** One character each; empty at the start and at the end. */
export interface TextEdges {
	readonly before: string;
	readonly after: string;
}

const noEdges: TextEdges = { before: '', after: '' };

/** A pattern with the one method that a schema needs. */
export class BoundedPattern {
	readonly #source: string;
	readonly #program: readonly Instruction[];

	/** Throws `SyntaxError` for an invalid pattern, `bad_input` for a pattern that cannot be matched in bounded time. */
	constructor(source: string) {
		this.#source = source;
		this.#program = new Writer(source, acceptedFlags(source)).write(parsePattern(source));
	}

	/**
	 * Throws `bad_input` when the text is too long to be matched.
	 * @param around the characters beside a text that is a part of a longer one: `^`, `$` and `\b` see them
	 */
	test(text: string, around: TextEdges = noEdges): boolean {
		const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
		if (codes.length * this.#program.length > PATTERN_STEP_LIMIT * BITS) throw this.#tooLong(codes.length);
		return new Matcher(this.#program, codes, around, () => this.#tooLong(codes.length)).matchesAnywhere();
	}

	toString(): string {
		return `/${this.#source}/u`;
	}

	#tooLong(length: number): Error {
		return refusedPattern(
			this.#source,
			`cannot be matched on a text of ${length} characters in bounded time`,
		);
	}
}

const BITS = 8;

/** Unicode mode as the standard asks; patterns that are only right without it are common enough to be taken too. */
function acceptedFlags(source: string): 'u' | '' {
	try {
		void new RegExp(source, 'u');
		return 'u';
	} catch {
		void new RegExp(source);
		return '';
	}
}

/** Turns the tree into instructions. Inside a lookbehind everything is written and read backwards. */
class Writer {
	readonly #program: Instruction[] = [];
	readonly #source: string;
	readonly #flags: 'u' | '';
	#step: 1 | -1 = 1;

	constructor(source: string, flags: 'u' | '') {
		this.#source = source;
		this.#flags = flags;
	}

	write(root: PatternNode): readonly Instruction[] {
		this.#node(root);
		this.#add({ kind: 'match' });
		return this.#program;
	}

	#node(node: PatternNode): void {
		switch (node.kind) {
			case 'character':
				this.#add({ kind: 'character', test: characterTest(node.source, this.#flags), step: this.#step });
				return;
			case 'assertion':
				this.#add({ kind: 'assertion', source: node.source });
				return;
			case 'sequence':
				for (const inner of this.#step === 1 ? node.nodes : node.nodes.toReversed()) this.#node(inner);
				return;
			case 'choice':
				return this.#choice(node.nodes);
			case 'repeat':
				return this.#repeat(node);
			case 'look':
				return this.#look(node);
		}
	}

	#choice([first, ...others]: readonly PatternNode[]): void {
		if (!first) return;
		if (others.length === 0) return this.#node(first);
		const split = this.#split();
		this.#node(first);
		const jump = this.#split();
		split.other = this.#program.length;
		this.#choice(others);
		jump.to = jump.other = this.#program.length;
	}

	#repeat({ node, least, most }: PatternNode & { kind: 'repeat' }): void {
		if (least > PATTERN_PROGRAM_LIMIT || (most > PATTERN_PROGRAM_LIMIT && most !== Number.POSITIVE_INFINITY))
			throw this.#tooLarge();
		for (let count = 0; count < least; count++) this.#node(node);
		if (most === Number.POSITIVE_INFINITY) {
			const start = this.#program.length;
			const split = this.#split();
			this.#node(node);
			const back = this.#split();
			back.to = back.other = start;
			split.other = this.#program.length;
			return;
		}
		const splits: { other: number }[] = [];
		for (let count = least; count < most; count++) {
			splits.push(this.#split());
			this.#node(node);
		}
		for (const split of splits) split.other = this.#program.length;
	}

	#look({ node, isBehind, isNegated }: PatternNode & { kind: 'look' }): void {
		const before = this.#step;
		const start = this.#program.length + 1;
		const look = { kind: 'look' as const, start, isNegated, end: 0 };
		this.#add(look);
		this.#step = isBehind ? -1 : 1;
		this.#node(node);
		this.#add({ kind: 'match' });
		this.#step = before;
		look.end = this.#program.length;
	}

	/** A fork that goes on with the next instruction; the other way is filled in later. */
	#split(): { to: number; other: number } {
		const split = { kind: 'split' as const, to: this.#program.length + 1, other: 0 };
		this.#add(split);
		return split;
	}

	#add(instruction: Instruction): void {
		if (this.#program.length >= PATTERN_PROGRAM_LIMIT) throw this.#tooLarge();
		this.#program.push(instruction);
	}

	#tooLarge(): Error {
		return refusedPattern(this.#source, `has more than ${PATTERN_PROGRAM_LIMIT} steps, repetitions counted`);
	}
}

const ASCII_CODES = 128;

function characterTest(source: string, flags: 'u' | ''): Test {
	const points = Array.from(source);
	if (points.length === 1 && source !== '.') {
		const wanted = source.codePointAt(0);
		return (code) => code === wanted;
	}
	const expression = new RegExp(`^${source}$`, flags);
	const matches: Test = (code) => expression.test(String.fromCodePoint(code));
	const known = Array.from({ length: ASCII_CODES }, (_, code) => matches(code));
	return (code) => (code < ASCII_CODES ? known[code] === true : matches(code));
}

class Matcher {
	readonly #program: readonly Instruction[];
	readonly #codes: readonly number[];
	readonly #around: TextEdges;
	readonly #tooLong: () => Error;
	/** Pairs inside of looks from which no match was reached. */
	readonly #failed = new Set<number>();
	#stepsLeft = PATTERN_STEP_LIMIT;

	constructor(
		program: readonly Instruction[],
		codes: readonly number[],
		around: TextEdges,
		tooLong: () => Error,
	) {
		this.#program = program;
		this.#codes = codes;
		this.#around = around;
		this.#tooLong = tooLong;
	}

	/** A pair that failed from one start fails from every other, so all starts share what was visited. */
	matchesAnywhere(): boolean {
		const visited = new Visited(this.#program.length, this.#codes.length);
		for (let start = 0; start <= this.#codes.length; start++) if (this.#run(0, start, visited)) return true;
		return false;
	}

	#run(first: number, start: number, visited: { add(pc: number, at: number): boolean }): boolean {
		const pending = [first, start];
		while (pending.length > 0) {
			const at = pending.pop() ?? 0;
			const pc = pending.pop() ?? 0;
			const instruction = this.#program[pc];
			if (!instruction || !visited.add(pc, at)) continue;
			if (--this.#stepsLeft < 0) throw this.#tooLong();
			if (instruction.kind === 'match') return true;
			if (instruction.kind === 'split') pending.push(instruction.to, at, instruction.other, at);
			else if (instruction.kind === 'look') {
				if (this.#look(instruction.start, at) !== instruction.isNegated) pending.push(instruction.end, at);
			} else if (instruction.kind === 'assertion') {
				if (this.#holds(instruction.source, at)) pending.push(pc + 1, at);
			} else {
				const code = this.#codes[instruction.step === 1 ? at : at - 1];
				if (code !== undefined && instruction.test(code)) pending.push(pc + 1, at + instruction.step);
			}
		}
		return false;
	}

	/** Each look has its own memory, since a pair that was part of a success must be tried again; failures are shared. */
	#look(start: number, at: number): boolean {
		const seen = new Set<number>();
		const places = this.#codes.length + 1;
		const add = (pc: number, place: number): boolean => {
			const key = pc * places + place;
			if (seen.has(key) || this.#failed.has(key)) return false;
			seen.add(key);
			return true;
		};
		const isFound = this.#run(start, at, { add });
		if (!isFound) for (const key of seen) this.#failed.add(key);
		return isFound;
	}

	#holds(source: '^' | '$' | '\\b' | '\\B', at: number): boolean {
		const { before, after } = this.#around;
		const previous = at === 0 ? before.codePointAt(0) : this.#codes[at - 1];
		const next = at === this.#codes.length ? after.codePointAt(0) : this.#codes[at];
		if (source === '^') return previous === undefined;
		if (source === '$') return next === undefined;
		return (isWord(previous) !== isWord(next)) === (source === '\\b');
	}
}

class Visited {
	readonly #places: number;
	readonly #bits: Uint8Array;

	constructor(instructions: number, length: number) {
		this.#places = length + 1;
		this.#bits = new Uint8Array(Math.ceil((instructions * this.#places) / BITS));
	}

	/** False when the pair is known. */
	add(pc: number, at: number): boolean {
		const index = pc * this.#places + at;
		const mask = 1 << (index & 7);
		const byte = this.#bits[index >>> 3] ?? 0;
		if ((byte & mask) !== 0) return false;
		this.#bits[index >>> 3] = byte | mask;
		return true;
	}
}

function isWord(code: number | undefined): boolean {
	if (code === undefined) return false;
	return (
		code === 95 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
	);
}
