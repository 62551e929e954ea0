/*
 * Glob patterns for file names: `*` any characters, `?` one, `[a-z]` and `[^a]` one of a
 * set, `\` escapes the next character.
 */
import { OrchestraError } from '../../errors.ts';
import { literalSource, segmentTest } from '../../trust/wildcard.ts';
import { DEFAULT_PATTERN, PATTERN_LIMIT_CHARACTERS } from './storage-limits.ts';

/** A set, whose first character may be `]`; an escaped character; one that stands for itself. */
const TOKENS = /\[(\^|(?!\^))((?:\\.|[^\\])(?:\\.|[^\]\\])*)\]|\\(.)|(.)/gsu;
/** A character of a set, or the first and the last one of a range. */
const RANGES = /\\?(.)(?:-\\?(.))?/gsu;

/** A test for names. The empty pattern is `*.md`. Throws `bad_input`. */
export function namePattern(text: string): (name: string) => boolean {
	if (text.length > PATTERN_LIMIT_CHARACTERS) {
		throw bad(text, `is longer than ${PATTERN_LIMIT_CHARACTERS} characters`, 'Write a shorter pattern.');
	}
	if (text.includes('/')) {
		throw bad(text, 'contains a /', 'A list looks into all folders; choose one of them with the prefix.');
	}
	const segments = [''];
	for (const [token, negation, set, escaped, plain = ''] of (text || DEFAULT_PATTERN).matchAll(TOKENS)) {
		if (token === '*') segments.push('');
		else
			segments[segments.length - 1] += set === undefined ? oneOf(escaped, plain) : setSource(negation, set);
	}
	return segmentTest(segments, 'su');

	function oneOf(escaped: string | undefined, plain: string): string {
		if (escaped !== undefined) return literalSource(escaped);
		if (plain === '[') throw bad(text, 'has a [ without its ]', 'Write \\[ for a bracket.');
		if (plain === '\\') throw bad(text, 'ends with a \\', 'Write \\\\ for a backslash.');
		return plain === '?' ? '.' : literalSource(plain);
	}
}

/** A range whose end comes before its start has no characters. */
function setSource(negation = '', set: string): string {
	const ranges = [...set.matchAll(RANGES)].map(([, low = '', high = low]) => {
		const [from, to] = [low, high].map((char) => char.replace(/[\\\]^-]/, '\\$&'));
		return (low.codePointAt(0) ?? 0) <= (high.codePointAt(0) ?? 0) ? `${from}-${to}` : '';
	});
	return `[${negation}${ranges.join('')}]`;
}

function bad(pattern: string, why: string, hint: string): OrchestraError {
	const shown = JSON.stringify(pattern.slice(0, PATTERN_LIMIT_CHARACTERS));
	return new OrchestraError('bad_input', `the pattern of names ${shown} ${why}`, {
		hint,
		data: { code: 'storage_error' },
	});
}
