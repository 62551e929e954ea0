/* A reader that remembers the form of messages reads each of them as a scan of the whole text does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { member } from '../../src/wire/message-member.ts';
import { MessageView } from '../../src/wire/message-view.ts';
import { ViewReader } from '../../src/wire/view-reader.ts';
import { FORM_CHARACTERS, FORM_MISSES, MESSAGE_LEVELS } from '../../src/wire/wire-limits.ts';

describe('ViewReader', () => {
	it('reads every message of a conversation as a scan does, also damaged ones', () => {
		fc.assert(
			fc.property(form, fc.array(fc.tuple(holes, damage), { maxLength: 12 }), (make, all) => {
				const reader = new ViewReader();
				for (const [values, spoil] of all) {
					const text = spoil(make(values));
					expect(readingOf(reader.view(text))).toEqual(readingOf(MessageView.of(text)));
				}
			}),
			{ numRuns: 1000 },
		);
	});

	it('finds the same form in the next call of a client, whatever its id, tool and arguments', () => {
		const reader = new ViewReader();
		const first = reader.view(call('1', 'a', '{"x":1}'));
		const next = reader.view(call('222', 'another', '{"y":[{"z":"\\n"}],"x":1}'));
		expect(first?.form).toBeDefined();
		expect(next?.form).toBe(first?.form);
		expect([next?.source(member.id), next?.value(member.name), next?.isCanonical]).toEqual([
			'222',
			'another',
			false,
		]);
	});

	it.each([
		['an id that a double does not hold', call('1234567890123456', 'a', '{}')],
		['an id with a leading zero', call('01', 'a', '{}')],
		['a name with an escape', call('2', '\\u0061', '{}')],
		['arguments of two readings', call('2', 'a', '{"x":1,"\\u0078":2}')],
		['half of a surrogate pair', call('2', 'a', '{"x":"\\ud800"}')],
		['a line break', call('2', 'a', '{\n}')],
		['a blank behind the arguments', call('2', 'a', '{} ')],
		['arguments that are no object', call('2', 'a', '[]')],
		['text behind the message', `${call('2', 'a', '{}')} {}`],
		['a nesting that is too deep', call('2', 'a', `{"a":${'['.repeat(510)}${']'.repeat(510)}}`)],
	])('scans the whole of a message with %s', (_what, text) => {
		const reader = new ViewReader();
		const before = reader.view(call('1', 'a', '{}'));
		const view = reader.view(text);
		expect(readingOf(view)).toEqual(readingOf(MessageView.of(text)));
		expect(view?.form).not.toBe(before?.form);
	});

	it('counts the levels around a value', () => {
		const nested = (levels: number): string =>
			call('2', 'a', `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
		const reader = new ViewReader();
		reader.view(call('1', 'a', '{}'));
		expect(reader.view(nested(MESSAGE_LEVELS - 3))?.form).toBeDefined();
		expect(reader.view(nested(MESSAGE_LEVELS - 2))).toBeUndefined();
	});

	it('looks for another form less and less often, but never gives up', () => {
		const reader = new ViewReader();
		const unique = (n: number): string => `{"id":1,"x${n}":1,"params":{"name":"a"}}`;
		for (let n = 1; n < FORM_MISSES; n++) reader.view(unique(n));
		const found = [reader.view(call('1', 'a', '{}')), reader.view(call('2', 'a', '{}'))];
		expect(found[1]?.form).toBe(found[0]?.form);
		expect(found[1]?.form).toBeDefined();
	});

	it('learns nothing of a long message, but reads long ones of a form', () => {
		const long = `{"a":"${'x'.repeat(FORM_CHARACTERS)}"}`;
		const reader = new ViewReader();
		expect(reader.view(call('1', 'a', long))?.form).toBeUndefined();
		reader.view(call('1', 'a', '{}'));
		expect(reader.view(call('1', 'a', long))?.form).toBeDefined();
	});
});

function call(id: string, name: string, input: string): string {
	return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${input}}}`;
}

interface Holes {
	readonly id: string;
	readonly name: string;
	readonly token: string;
	readonly value: string;
	readonly other: string;
}

const key = fc.oneof(
	{ weight: 4, arbitrary: fc.nat().map(String) },
	fc.constantFrom('0', '00', '-1', '1.5', '"a"', '"\\u0061"', 'null', '12345678901234567890'),
);
const value = fc.oneof(
	{ weight: 4, arbitrary: fc.object().map((each) => JSON.stringify(each)) },
	fc.constantFrom(
		'{}',
		'{ "b":1}',
		'{"b":1,"a":2}',
		'{"a":1,"a":2}',
		'[]',
		'[1]',
		'1',
		'{"a":"\\ud800"}',
		'{"a":1.0}',
	),
);
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('"a"', '"files__read"') }, key);
const holes: fc.Arbitrary<Holes> = fc.record({ id: key, name, token: key, value, other: value });

/** Ways in which senders write their messages. */
const form = fc.constantFrom<(holes: Holes) => string>(
	({ id, name, value }) =>
		`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${name},"arguments":${value}}}`,
	({ id, name, value, token }) =>
		`{"method":"tools/call","params":{"name":${name},"arguments":${value},"_meta":{"progressToken":${token}}},"jsonrpc":"2.0","id":${id}}`,
	({ id, name, value, token }) =>
		`{"params":{"_meta":{"progressToken":${token},"traceparent":"t"},"arguments":${value},"name":${name}},"id":${id}}`,
	({ id, name }) => `{"id": ${id} , "params": {"name": ${name} }}`,
	({ id, value, other }) =>
		`{"jsonrpc":"2.0","id":${id},"result":{"content":${value},"structuredContent":${other},"isError":false}}`,
	({ id, value }) =>
		`{"result":{"_meta":{},"content":${value},"resultType":"complete"},"id":${id},"jsonrpc":"2.0"}`,
	({ id, value, other }) => `{"id":${id},"params":{"arguments":${value}},"result":{"content":${other}}}`,
	({ id, value, other }) => `{"id":${id},"result":{"content":${value},"content":${other}}}`,
);

const damage = fc.oneof(
	{ weight: 4, arbitrary: fc.constant((text: string) => text) },
	fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom('', '"', '\\', '{', '}', ',', '0', ' ', '\n')).map(
		([at, remove, insert]) =>
			(text: string) =>
				text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + remove),
	),
);

function readingOf(view: MessageView | undefined): unknown {
	if (view === undefined) return undefined;
	const { text, isAmbiguous, hasLineBreak } = view;
	const isCanonical = view.has(member.arguments) && view.isCanonical;
	return {
		text,
		isAmbiguous,
		hasLineBreak,
		isCanonical,
		sources: Object.values(member).map((each) => view.source(each)),
	};
}
