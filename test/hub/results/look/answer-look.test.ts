import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../../src/errors.ts';
import { answerLook } from '../../../../src/hub/results/look/answer-look.ts';
import { type LookAnswer, readLookRequest } from '../../../../src/hub/results/look/look-request.ts';

const issues = JSON.stringify({
	total: 3,
	items: [
		{ id: 1, title: 'Crash', state: 'open', labels: ['bug'], price: 1.5 },
		{ id: 2, title: 'Typo', state: 'closed', labels: [], price: 2.5 },
		{ id: 3, title: 'Slow', state: 'open', labels: ['bug', 'speed'], price: 3.5 },
	],
});

describe('answerLook', () => {
	it('shows lines of text by their numbers', () => {
		const text = 'one\ntwo\nthree\nfour\n';
		expect(look(text, { op: 'head', lines: 2 })).toEqual({ text: 'one\ntwo', about: 'lines 1–2 of 4' });
		expect(look(text, { op: 'tail', lines: 1 })).toEqual({ text: 'four', about: 'lines 4–4 of 4' });
		expect(look(text, { op: 'range', from: 2, to: 3 })).toEqual({
			text: 'two\nthree',
			about: 'lines 2–3 of 4',
		});
		expect(look(text, { op: 'grep', pattern: 'THREE', context: 1 }).text).toBe('2- two\n3: three\n4- four');
		expect(look(text, { op: 'grep', pattern: '/^t\\w{2}$/' }).text).toBe('2: two');
		expect(look(text, { op: 'grep', pattern: '/^T\\w{2}$/i' }).text).toBe('2: two');
		expect(look('A b\nab', { op: 'grep', pattern: '/a\\SB|A\\sB/i' }).text).toBe('1: A b');
		expect(look(text, { op: 'count', pattern: 'o' }).text).toBe('3');
		expect(look(text, { op: 'count' })).toEqual({ text: '4', about: 'lines' });
	});

	it('names a match in a long line by the number of the line, and shows its pieces', () => {
		const text = `first\n${'x'.repeat(5000)}needle${'y'.repeat(5000)}needle\nlast needle`;
		const { text: found, about } = look(text, { op: 'grep', pattern: 'needle' });
		expect(found).toMatch(/^2: …x+needley+…\n2: …y+needle\n3: last needle$/);
		expect(about).toBe('2 matches in 3 lines');
		expect(look(text, { op: 'count', pattern: '/needle/' }).text).toBe('2');
		const seam = `${'x'.repeat(900)}needle${'x'.repeat(900)}`;
		expect(look(seam, { op: 'grep', pattern: 'needle' }).text.match(/needle/g)).toHaveLength(1);
		const leaf = JSON.stringify({ body: text, other: 1 });
		expect(look(leaf, { op: 'grep', pattern: 'needle' })).toMatchObject({
			text: expect.stringMatching(/^body: …x+needley+…\nbody: …y+needle.nlast needle"$/),
			about: '1 matches in 2 lines',
		});
		expect(look(leaf, { op: 'count', pattern: 'body' }).text).toBe('1');
	});

	it('finds a long text across the pieces of a line, and sees the ends of a line at its ends only', () => {
		const wanted = 'n'.repeat(400);
		const line = `a${'.'.repeat(700)}${wanted}${'.'.repeat(3000)}z`;
		expect(look(line, { op: 'count', pattern: wanted }).text).toBe('1');
		for (const [pattern, count] of [
			['/^a/', '1'],
			['/z$/', '1'],
			['/^[.n]/', '0'],
			['/[.n]$/', '0'],
			['/\\bn/', '1'],
		])
			expect(look(line, { op: 'count', pattern }).text, pattern).toBe(count);
		expect(look('x'.repeat(1800), { op: 'count', pattern: '/\\bx{2}\\b/' }).text).toBe('0');
	});

	it('marks every match among the lines around it', () => {
		const text = 'a\nhit\nhit\nb\nc\nd\ne\nhit';
		expect(look(text, { op: 'grep', pattern: 'hit', context: 1 }).text).toBe(
			'1- a\n2: hit\n3: hit\n4- b\n--\n7- e\n8: hit',
		);
		expect(look(text, { op: 'grep', pattern: 'hit', context: 2 }).text).toBe(
			'1- a\n2: hit\n3: hit\n4- b\n5- c\n6- d\n7- e\n8: hit',
		);
	});

	it('shows records of JSON, and the paths of its leaves', () => {
		expect(look(issues, { op: 'tail', lines: 1 })).toEqual({
			text: '{"id":3,"title":"Slow","state":"open","labels":["bug","speed"],"price":3.5}',
			about: 'records of items 3–3 of 3',
		});
		expect(look(issues, { op: 'grep', pattern: 'bug' }).text).toBe(
			'items[0].labels[0]: "bug"\nitems[2].labels[0]: "bug"',
		);
	});

	it('selects by JMESPath, with the number of results', () => {
		const open = "items[?state=='open'].{id: id, title: title}";
		expect(look(issues, { op: 'select', select: open })).toEqual({
			text: '[{"id":1,"title":"Crash"},{"id":3,"title":"Slow"}]',
			about: '2 results',
		});
		expect(look(issues, { op: 'select', select: 'max_by(items, &price).title' }).text).toBe('"Slow"');
		expect(look(issues, { op: 'count', select: 'items[?price > `2`]' }).text).toBe('2');
		expect(look(issues, { op: 'distinct', select: 'items[].state' })).toEqual({
			text: '2\t"open"\n1\t"closed"',
			about: '2 distinct of 3, with their counts',
		});
	});

	it('says the shape of the result when nothing is there, or the expression is wrong', () => {
		expect(look(issues, { op: 'select', select: 'nothing' }).about).toContain(
			'Shape: {total: number, items:',
		);
		expect(() => look(issues, { op: 'select', select: 'items[' })).toThrow('select cannot be evaluated');
	});

	it('keeps the digits of numbers, and finds them', () => {
		const text = '[{"id":12345678901234567890,"price":1.50},{"id":12345678901234567891,"price":2}]';
		const select = '[?id==`12345678901234567891`]';
		expect(look(text, { op: 'select', select }).text).toBe('[{"id":12345678901234567891,"price":2}]');
		expect(look(text, { op: 'select', select: '[?price < `1.6`]' }).text).toBe(
			'[{"id":12345678901234567890,"price":1.50}]',
		);
	});

	it('knows a number that a double would change as a number, in any text that is made of it', () => {
		const text = '[{"id":12345678901234567890,"name":"\\u0000number:1, \\"x\\":2"}]';
		const selected = (select: string): unknown => JSON.parse(look(text, { op: 'select', select }).text);
		expect(selected('[0].name')).toBe('\u0000number:1, "x":2');
		expect(selected("join('-', [to_string([0].id), 'a'])")).toBe('12345678901234567890-a');
		expect(selected('to_string(@)')).toBe(text);
		expect(look(text, { op: 'select', select: 'nothing' }).about).toContain('{id: number, name: string}');
	});

	it('is short about records with a very long name', () => {
		const { about } = look(JSON.stringify({ ['😀'.repeat(100_000)]: [1, 2] }), { op: 'head' });
		expect(about.length).toBeLessThan(200);
		expect(about).toContain('… 1–2 of 2');
	});

	it.each([
		['lines of JSON', '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'],
		['commas', 'a,b\n1,x\n2,"y"\n'],
		['tabs', 'a\tb\n1\tx\n2\ty\n'],
		['a table', '| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n'],
		['rows of Python', "[{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]"],
		['blocks of JSON', '[{"a":1,"b":"x"},\n{"a":2,"b":"y"}]'],
		['JSON with a byte order mark', '\uFEFF[{"a":1,"b":"x"},{"a":2,"b":"y"}]'],
		['commas with a byte order mark and CRLF', '\uFEFF"a",b\r\n1,"x"\r\n\r\n2,y\r\n'],
	])('reads %s as records', (_name, text) => {
		expect(look(text, { op: 'select', select: '[?a > `1`].b' }).text).toBe('["y"]');
		expect(look(text, { op: 'tail', lines: 1 }).text).toBe('{"a":2,"b":"y"}');
	});

	it('reads cells with lines, quotes and separators in them', () => {
		const text = 'name,note\n"a","one\r\ntwo, ""three"""\n"b" c,4\n';
		expect(look(text, { op: 'select', select: '@' }).text).toBe(
			'[{"name":"a","note":"one\\r\\ntwo, \\"three\\""},{"name":"\\"b\\" c","note":4}]',
		);
	});

	it('counts a line that is no JSON among lines of JSON as a text', () => {
		const lines = Array.from({ length: 20 }, (_, id) => `{"id":${id}}`);
		const text = `${lines.join('\n')}\nnot JSON\n`;
		expect(look(text, { op: 'select', select: '[?id > `17`].id' }).text).toBe('[18,19]');
		expect(look(text, { op: 'tail', lines: 1 })).toEqual({
			text: '"not JSON"',
			about: 'records 21–21 of 21',
		});
	});

	it('reads what is not quite a table or JSON as text', () => {
		for (const text of [
			'Dear Ada,\nall is well.\n',
			'{not json}\nline',
			'[1, object()]',
			'a,b\n1,2,3\n',
			'{"a":1\n"b":2}',
			'a,b\n"1,2\n'.repeat(3),
		])
			expect(look(text, { op: 'count' }).about).toBe('lines');
		expect(look('ERROR a\nok\nERROR b', { op: 'select', select: "[?starts_with(@, 'ERROR')]" }).text).toBe(
			'["ERROR a","ERROR b"]',
		);
	});

	it('never answers beyond its limit, whatever the request and the result are', () => {
		const request = fc.record({
			op: fc.constantFrom('head', 'tail', 'range', 'grep', 'select', 'count', 'distinct'),
			lines: fc.nat(300),
			from: fc.nat(300),
			pattern: fc.constantFrom('a', '1', '/[a-z]+/', ' '),
			context: fc.nat(5),
			select: fc.constantFrom('@', '[]', '[*].[@, @, @]', '[0]', 'a'),
		});
		const value = fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 3000 }));
		fc.assert(
			fc.property(
				request,
				fc.array(value, { maxLength: 30 }),
				fc.integer({ min: 800, max: 4000 }),
				(asked, parts, limit) => {
					const { pattern, ...rest } = asked;
					const input = asked.op === 'count' ? rest : { ...rest, pattern };
					const { text, about } = answered(parts.join('\n'), input, limit);
					expect(text.length + about.length).toBeLessThanOrEqual(limit + 700);
					expect(/\p{Surrogate}/u.test(text + about)).toBe(false);
				},
			),
			{ numRuns: 80 },
		);
	});

	it('refuses a request that makes no sense', () => {
		for (const [input, message] of [
			[{ op: 'dance' }, 'op must be one of'],
			[{ op: 'grep' }, 'grep needs a pattern'],
			[{ op: 'select' }, 'select needs an expression'],
			[{ op: 'select', select: '('.repeat(40) }, 'nested deeper than'],
			[{ op: 'select', select: 'x'.repeat(3000) }, 'at most 2000'],
			[{ op: 'range', from: -1 }, 'from must be a whole number'],
			[{ op: 'range', from: 5, to: 3 }, 'to is 3, which is before 5'],
		] as const)
			expect(() => readLookRequest(input)).toThrow(message);
	});
});

function look(text: string, input: Record<string, unknown>): LookAnswer {
	return answerLook(text, readLookRequest(input), 4000);
}

/** A refusal is an answer too. */
function answered(text: string, input: Record<string, unknown>, limit: number): LookAnswer {
	try {
		return answerLook(text, readLookRequest(input), limit);
	} catch (error) {
		if (OrchestraError.is(error, 'bad_input')) return { text: '', about: '' };
		throw error;
	}
}
