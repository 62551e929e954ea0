/* What a view says of the text of a message: whether arguments are canonical, where line breaks are, parts of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/wire/canonical-json.ts';
import { member } from '../../src/wire/message-member.ts';
import { MessageView } from '../../src/wire/message-view.ts';

describe('MessageView', () => {
	it('says that arguments are canonical only when they are', () => {
		const shuffled = fc.jsonValue({ maxDepth: 3 }).chain((value) => fc.constantFrom(...spellings(value)));
		const text = fc.oneof(shuffled, fc.constantFrom(...literals));
		fc.assert(
			fc.property(text, (json) => {
				const { isCanonical } = new MessageView(`{"params":{"arguments":${json} ,"x": 1.0}}`);
				fc.pre(isCanonical);
				expect(canonicalJson(JSON.parse(json))).toBe(json);
			}),
			{ numRuns: 2000 },
		);
	});

	it.each([
		'{}',
		'{"a":1,"b":{"c":[true,null,-5,1.5]},"ba":"x\\n\\"\\\\é"}',
		'[]',
		'{"a":1e21,"b":12345678901234567}',
	])('says that %s is canonical when it is', (json) => {
		const isCanonical = canonicalJson(JSON.parse(json)) === json;
		expect(new MessageView(`{"params":{"arguments":${json}}}`).isCanonical).toBe(isCanonical);
	});

	it('says where a line break is, and is read anew', () => {
		const view = new MessageView('{"id":1,\n"method":"a"}');
		expect(view.hasLineBreak).toBe(true);
		view.read('{"id":2}');
		expect([
			view.hasLineBreak,
			view.has(member.method),
			view.is(member.id, '2'),
			view.is(member.id, '22'),
			view.is(member.name, '1'),
		]).toEqual([false, false, true, false, false]);
		expect([view.lengthOf(member.id), view.lengthOf(member.name)]).toEqual([1, 0]);
	});

	it.each([
		['{"resultType":"complete","content":[],"_meta":{}}', '{"content":[]}'],
		['{"content":[],"resultType":"complete","_meta":{}}', '{"content":[]}'],
		['{"content":[],"_meta":{},"resultType":"complete"}', '{"content":[]}'],
		['{"_meta":{},"content":[],"resultType":"complete","x":1}', '{"content":[],"x":1}'],
		['{"resultType":"complete"}', '{}'],
		['{"resultType":"complete","_meta":{}}', '{}'],
		['{"content":[]}', '{"content":[]}'],
		['{"resultType" :"complete"}', undefined],
		['{ "resultType":"complete"}', undefined],
		['{"result\\u0054ype":"complete"}', undefined],
	])('takes members out of the result %s', (result, rest) => {
		const view = new MessageView(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
		expect(view.without(member.result, [member.resultType, member.resultMeta])).toBe(rest);
	});
});

const literals = [
	'1.0',
	'-0',
	'1e5',
	'1E400',
	'"\\u0061"',
	'"\\/"',
	'{"b":1,"a":2}',
	'{"a":1,"a":2}',
	'{"\\n":1}',
	'123456789012345678',
];

/** The same value with other orders of names, blanks and escapes. */
function spellings(value: unknown): string[] {
	const json = JSON.stringify(value);
	return [
		json,
		canonicalJson(value),
		json.replace(',', ', '),
		json.replace('"a', '"\\u0061'),
		JSON.stringify(value, null, 1),
	];
}
