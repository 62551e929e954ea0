import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NESTING_DEPTH } from '../../src/core-limits.ts';
import { OrchestraError } from '../../src/errors.ts';
import { parseBoundedYaml } from '../../src/files/bounded-yaml.ts';
import { YAML_LIMIT_CHARACTERS } from '../../src/files/files-limits.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { bundle } from '../support/bundle.ts';

describe('parseBoundedYaml', () => {
	it('returns what the package returns for ordinary values', () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
				const text = JSON.stringify(value);
				expect(parseBoundedYaml(text)).toEqual(parse(text));
			}),
		);
	});

	it.each([
		['brackets', '[', ']'],
		['braces', '{a: ', '}'],
		['items', '- ', ''],
		['explicit keys', '? ', ''],
	])('refuses %s nested one deeper than allowed, and takes those at the limit', (_, open, close) => {
		const nested = (depth: number): string => `${open.repeat(depth)}x${close.repeat(depth)}`;
		expect(() => parseBoundedYaml(nested(NESTING_DEPTH - 1))).not.toThrow();
		expect(refusal(nested(NESTING_DEPTH + 3))).toContain(`nested deeper than ${NESTING_DEPTH} levels`);
	});

	it('refuses a block that nests by indentation', () => {
		const lines = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`);
		expect(refusal(lines.join('\n'))).toContain('nested deeper');
	});

	it('refuses depth that only aliases make', () => {
		const levels = Array.from({ length: 40 }, (_, at) => `- &a${at + 1} [[[[*a${at}]]]]`);
		expect(refusal(['- &a0 x', ...levels].join('\n'))).toMatch(/nested deeper|alias/);
	});

	it('refuses a value that contains itself', () => {
		expect(refusal('&a [*a]')).toMatch(/nested deeper|alias/i);
	});

	it.each([
		['aliases', `- &a x\n${'- *a\n'.repeat(65)}`, /more than 64 aliases/],
		['tokens', '- a\n'.repeat(20_000), /more than 30000 tokens/],
		['characters', 'x'.repeat(YAML_LIMIT_CHARACTERS + 1), /longer than 262144 characters/],
		['equal keys', 'a: 1\nb: 2\na: 3', /"a" is repeated at line 3/],
		['laughs', laughs(9), /alias/],
	])('refuses too many %s', (_, text, message) => {
		expect(refusal(text)).toMatch(message);
	});

	it('names the line of an error', () => {
		expect(refusal('a: 1\nb: "open')).toMatch(/ at line 2, column \d+$/);
	});

	it('leaves the length of stack traces as it was', () => {
		const before = Error.stackTraceLimit;
		refusal('a: [');
		expect(Error.stackTraceLimit).toBe(before);
	});
});

describe('parsers of untrusted files', () => {
	it.each(runsAllTests ? [1, 2, 3] : [1])(
		'never end the process, whatever nests and repeats (seed %i)',
		async (seed) => {
			const program = await bundle(resolve(import.meta.dirname, '../fixtures/parses-hostile-text.mjs'));
			const env = { ...process.env, NODE_PATH: resolve(import.meta.dirname, '../../node_modules') };
			const { stdout } = await promisify(execFile)(
				process.execPath,
				[program, String(seed), runsAllTests ? '60' : '15'],
				{ env },
			);
			expect(JSON.parse(stdout)).toMatchObject({ parsed: expect.any(Number), refused: expect.any(Number) });
		},
		120_000,
	);
});

function refusal(text: string): string {
	try {
		parseBoundedYaml(text);
	} catch (error) {
		expect(OrchestraError.is(error, 'bad_input') || error instanceof ReferenceError).toBe(true);
		return String(error instanceof Error ? error.message : error);
	}
	throw new Error('expected a refusal');
}

function laughs(levels: number): string {
	const lines = ['a0: &a0 [lol, lol]'];
	for (let at = 1; at <= levels; at++) lines.push(`a${at}: &a${at} [*a${at - 1}, *a${at - 1}, *a${at - 1}]`);
	return lines.join('\n');
}
