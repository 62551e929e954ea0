/*
 * A regular expression of ECMA-262 as a tree.
 *
 * Only the structure is read here: groups, alternatives, repetitions, assertions.
 * What one character matches (classes, escapes, properties) stays text and is left
 * to the engine of the language, one character at a time, so it means the same.
 */
import { OrchestraError } from '../errors.ts';
import { PATTERN_GROUP_LIMIT, PATTERN_LIMIT_CHARACTERS } from './schema-limits.ts';

export type PatternNode =
	| { kind: 'character'; source: string }
	| { kind: 'assertion'; source: '^' | '$' | '\\b' | '\\B' }
	| { kind: 'sequence'; nodes: PatternNode[] }
	| { kind: 'choice'; nodes: PatternNode[] }
	| { kind: 'repeat'; node: PatternNode; least: number; most: number }
	| { kind: 'look'; node: PatternNode; isBehind: boolean; isNegated: boolean };

const ESCAPE =
	/\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[^])/uy;
const REPEAT = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const GROUP = /\((?:\?(?::|=|!|<=|<!|<[^>=!][^>]*>))?/y;

/** Read a pattern that the engine accepted. Throws `bad_input` for backreferences and for patterns over a bound. */
export function parsePattern(source: string): PatternNode {
	if (source.length > PATTERN_LIMIT_CHARACTERS) {
		throw refusedPattern(source, `is longer than ${PATTERN_LIMIT_CHARACTERS} characters`);
	}
	return new PatternParser(source).parse();
}

/** A pattern that we do not match, and why. */
export function refusedPattern(source: string, why: string): OrchestraError {
	const shown = JSON.stringify(source.length > 80 ? `${source.slice(0, 80)}…` : source);
	return new OrchestraError('bad_input', `the pattern ${shown} ${why}`, {
		hint: 'Write a pattern that can be matched in bounded time.',
	});
}

class PatternParser {
	readonly #source: string;
	#at = 0;
	#depth = 0;

	constructor(source: string) {
		this.#source = source;
	}

	parse(): PatternNode {
		const node = this.#choice();
		if (this.#at < this.#source.length) throw refusedPattern(this.#source, 'has a ) without its (');
		return node;
	}

	#choice(): PatternNode {
		const nodes = [this.#sequence()];
		while (this.#source[this.#at] === '|') {
			this.#at++;
			nodes.push(this.#sequence());
		}
		return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes };
	}

	#sequence(): PatternNode {
		const nodes: PatternNode[] = [];
		while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
			nodes.push(this.#repeated(this.#atom()));
		}
		return { kind: 'sequence', nodes };
	}

	#repeated(node: PatternNode): PatternNode {
		const found = this.#take(REPEAT);
		if (!found) return node;
		const [text, least, comma, most] = found;
		if (least !== undefined) {
			const low = Number(least);
			return { kind: 'repeat', node, least: low, most: comma ? Number(most || Infinity) : low };
		}
		return {
			kind: 'repeat',
			node,
			least: text.startsWith('+') ? 1 : 0,
			most: text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY,
		};
	}

	#atom(): PatternNode {
		const char = this.#source[this.#at];
		if (char === '(') return this.#group();
		if (char === '[') return { kind: 'character', source: this.#class() };
		if (char === '\\') return this.#escape();
		const source = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
		this.#at += source.length;
		if (source === '^' || source === '$') return { kind: 'assertion', source };
		// Outside of Unicode mode a brace or bracket may stand alone.
		return { kind: 'character', source: /[{}\]]/.test(source) ? `\\${source}` : source };
	}

	#group(): PatternNode {
		if (++this.#depth > PATTERN_GROUP_LIMIT)
			throw refusedPattern(this.#source, `nests more than ${PATTERN_GROUP_LIMIT} groups`);
		const [opening = ''] = this.#take(GROUP) ?? [];
		if (this.#source[this.#at] === '?')
			throw refusedPattern(this.#source, 'has a kind of group that is not known');
		const node = this.#choice();
		if (this.#source[this.#at++] !== ')') throw refusedPattern(this.#source, 'has a ( without its )');
		this.#depth--;
		const look = /^\(\?(<?)([=!])$/.exec(opening);
		if (!look) return node;
		return { kind: 'look', node, isBehind: look[1] === '<', isNegated: look[2] === '!' };
	}

	#escape(): PatternNode {
		const [source = '\\'] = this.#take(ESCAPE) ?? [];
		if (source === '\\b' || source === '\\B') return { kind: 'assertion', source };
		if (/^\\[1-9k]/.test(source)) throw refusedPattern(this.#source, 'has a backreference');
		return { kind: 'character', source };
	}

	#class(): string {
		const start = this.#at;
		for (this.#at++; this.#source[this.#at] !== ']'; this.#at++) {
			if (this.#at >= this.#source.length) throw refusedPattern(this.#source, 'has a [ without its ]');
			if (this.#source[this.#at] === '\\') this.#at++;
		}
		this.#at++;
		return this.#source.slice(start, this.#at);
	}

	#take(expression: RegExp): RegExpExecArray | null {
		expression.lastIndex = this.#at;
		const found = expression.exec(this.#source);
		if (found) this.#at += found[0].length;
		return found;
	}
}
