import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBoundedYaml } from '../../../src/files/bounded-yaml.ts';
import { parsePlain, readFrontMatter } from '../../../src/library/files/front-matter.ts';
import { FRONT_MATTER_LIMIT_CHARACTERS } from '../../../src/library/files/library-limits.ts';

describe('readFrontMatter', () => {
	it('splits the block from the text', () => {
		const text = '---\ntitle: Retry\ntags: [a, b]\nuseWhen:\n  - it fails\n---\n\n# Body\n';
		expect(readFrontMatter(text)).toEqual({
			data: { title: 'Retry', tags: ['a', 'b'], useWhen: ['it fails'] },
			body: '# Body\n',
		});
	});

	it('treats text without a block, or with an unterminated one, as body', () => {
		expect(readFrontMatter('# Only\n')).toEqual({ data: {}, body: '# Only\n' });
		expect(readFrontMatter('---\ntitle: x\n')).toEqual({ data: {}, body: '---\ntitle: x\n' });
	});

	it('accepts Windows line ends and a byte order mark', () => {
		expect(readFrontMatter('\uFEFF---\r\ntitle: Retry\r\n---\r\nBody')).toEqual({
			data: { title: 'Retry' },
			body: 'Body',
		});
	});

	it('reads quotes, colons, numbers and nested values as YAML does', () => {
		const { data } = readFrontMatter(
			'---\ntitle: "a: b"\nestimatedTokens: 12\narguments:\n  - name: x\n    required: true\n---\n',
		);
		expect(data).toEqual({ title: 'a: b', estimatedTokens: 12, arguments: [{ name: 'x', required: true }] });
	});

	it('reports broken YAML in one sentence and keeps the body', () => {
		const { data, body, problem } = readFrontMatter('---\ntitle: [unclosed\n---\nBody');
		expect([data, body]).toEqual([{}, 'Body']);
		expect(problem).toMatch(/^front matter is not valid YAML: .+/);
		expect(problem).not.toContain('\n');
	});

	it('reports a block that is a list, and one that is too long', () => {
		expect(readFrontMatter('---\n- a\n---\nBody').problem).toBe(
			'front matter is not a list of keys and values',
		);
		const long = `---\nx: ${'y'.repeat(FRONT_MATTER_LIMIT_CHARACTERS)}\n---\nBody`;
		expect(readFrontMatter(long)).toMatchObject({
			body: 'Body',
			problem: expect.stringContaining('longer than'),
		});
	});

	it('refuses aliases that expand exponentially', () => {
		const bomb = [
			'a: &a [x,x]',
			...Array.from({ length: 9 }, (_, at) => `b${at}: &b${at} [${'*a,'.repeat(9)}*a]`),
		].join('\n');
		expect(readFrontMatter(`---\n${bomb}\n---\nBody`)).toMatchObject({
			body: 'Body',
			problem: expect.any(String),
		});
	});

	it('never throws, for any text', () => {
		fc.assert(fc.property(fc.string(), (block) => void readFrontMatter(`---\n${block}\n---\nBody`)));
	});
});

describe('parsePlain', () => {
	it('agrees with the full parser on everything that it accepts', () => {
		const unit = fc.oneof(
			fc.constantFrom(...`ab:#'"[]{}&*!|>%@,.~- \t\\`.split('')),
			fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
		);
		const word = fc.oneof(
			fc.string({ unit, maxLength: 12 }),
			fc.string({ unit, maxLength: 6 }).map((text) => `w${text}`),
			fc.constantFrom('true', 'No', 'on', 'NULL', 'y', 'nan', '.inf', '12', '012', '1e3', '2025-01-02'),
			fc.constantFrom(`"a: b #c"`, `'it is'`, `"a\\n"`, `'it''s'`, 'C# and http://x.org/#y', 'a: b', 'a #b'),
		);
		const items = (values: readonly string[]) =>
			values.map((value, at) => `${at % 3 === 2 ? ' ' : ''}  - ${value}`);
		const mapItem = (values: readonly string[], at: number) =>
			values.map((value, key) => {
				const lead = key === 0 ? '  - ' : at % 3 === 2 ? '     ' : '    ';
				return `${lead}${value.length % 7 === 6 ? 'k0' : `k${key}`}: ${value.length % 5 === 4 ? `[${value}]` : value}`;
			});
		const line = fc.oneof(
			word.map((value) => `key: ${value}`),
			fc.array(word, { maxLength: 3 }).map((values) => ['other:', ...items(values)].join('\n')),
			fc.array(word, { maxLength: 3 }).map((values) => `list: [${values.join(', ')}]`),
			fc
				.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
				.map((entries) => ['maps:', ...entries.flatMap(mapItem)].join('\n')),
			fc.constantFrom('yes: no', 'n: 12', 'flag: true', 'zero: 012', 'none: null', 'end: word\r', ''),
		);
		let compared = 0;
		fc.assert(
			fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
				const block = lines.join('\n');
				const plain = parsePlain(block);
				if (plain === undefined || Object.keys(plain).length === 0) return;
				expect(plain).toEqual(parseBoundedYaml(block));
				compared++;
			}),
			{ numRuns: 2000 },
		);
		expect(compared).toBeGreaterThan(50);
	});

	it('accepts the usual forms of front matter', () => {
		const block = [
			'title: "Retry: when"',
			"id: 'retry'",
			'flag: true',
			'estimatedTokens: 12',
			'link: see http://example.org/#a',
			'tags: [a b, "c", 3]',
			'useWhen:',
			"  - it doesn't answer",
			'arguments:',
			'  - name: command',
			'    required: true',
			'    values: [a, b]',
			'  - name: symptom',
		].join('\n');
		expect(parsePlain(block)).toEqual({
			title: 'Retry: when',
			id: 'retry',
			flag: true,
			estimatedTokens: 12,
			link: 'see http://example.org/#a',
			tags: ['a b', 'c', 3],
			useWhen: ["it doesn't answer"],
			arguments: [{ name: 'command', required: true, values: ['a', 'b'] }, { name: 'symptom' }],
		});
	});
});
