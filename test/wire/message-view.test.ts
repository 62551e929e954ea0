/* A view reads a message exactly as a parser does: the same texts are valid, and each member has the same value. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { member } from '../../src/wire/message-member.ts';
import { MessageView, writtenMember } from '../../src/wire/message-view.ts';
import { MESSAGE_LEVELS } from '../../src/wire/wire-limits.ts';

describe('writtenMember', () => {
	it.each([
		['as it was written', '{"params":{"arguments":{"n": 1.0}}}', '{"n": 1.0}'],
		['not of two readings', '{"params":{"arguments":{"a":[{"n":1.0,"\\u006e":2}]}}}', undefined],
		['not with half of a surrogate pair', '{"params":{"arguments":{"a":"\\ud800","n":1.0}}}', undefined],
		['not of a text that is no JSON', '{"params":{"arguments":{"n":1.0}}', undefined],
		['not when it is absent', '{"params":{}}', undefined],
	])('gives a member %s', (_how, text, found) => {
		expect(writtenMember(text, member.arguments)).toBe(found);
	});
});

describe('MessageView', () => {
	it('accepts what a parser accepts, and refuses what it refuses', () => {
		for (const text of [...validTexts, ...invalidTexts])
			expect([text, isView(text)]).toEqual([text, isJson(text)]);
	});

	it('agrees with a parser on every mutation of a message', () => {
		fc.assert(
			fc.property(message, mutation, (text, { at, remove, insert }) => {
				const place = at % (text.length + 1);
				const mutated = text.slice(0, place) + insert + text.slice(place + remove);
				expect(isView(mutated)).toBe(isJson(mutated));
				if (isView(mutated)) expectSameReading(mutated);
			}),
			{ numRuns: 3000 },
		);
	});

	it('reads the same in slices, wherever they are cut', () => {
		fc.assert(
			fc.property(message, mutation, fc.integer({ min: 1, max: 12 }), (text, { at, insert }, characters) => {
				const place = at % (text.length + 1);
				for (const each of [text, text.slice(0, place) + insert + text.slice(place)])
					expect(readingOf(inSlices(each, characters))).toEqual(readingOf(MessageView.of(each)));
			}),
			{ numRuns: 1000 },
		);
	});

	it('reads a long string in slices', () => {
		const text = JSON.stringify({ id: 1, result: { text: `${'é'.repeat(200_000)}\n"` } });
		expect(inSlices(text, 1000)?.source(member.result)).toBe(new MessageView(text).source(member.result));
		expect(inSlices(`${text.slice(0, 100_000)}\u0001`, 1000)).toBeUndefined();
	});

	it('reads a long name with escapes in slices', () => {
		const text = JSON.stringify({ params: { ['\n'.repeat(50_000)]: 1, name: 'a', ['"'.repeat(9)]: [2] } });
		const steps = MessageView.inSlices(text, 1000);
		let slices = 0;
		while (!steps.next().done) slices++;
		expect(slices).toBeGreaterThan(90);
		expect(inSlices(text, 1000)?.value(member.params)).toEqual(new MessageView(text).value(member.params));
		const twice = text.replace('"name"', JSON.stringify('\n'.repeat(50_000)));
		expect(inSlices(twice, 1000)?.isAmbiguous).toBe(true);
	});

	it.each(['\n', '\r', ' ', '\t'])(
		'skips many blanks, and says whether there is a line break: %j',
		(blank) => {
			const view = new MessageView(`{"id":${' '.repeat(100)}${blank.repeat(100)}${' '.repeat(100)}7}`);
			expect([view.value(member.id), view.hasLineBreak]).toEqual([7, '\n\r'.includes(blank)]);
		},
	);

	it('finds each member, whatever the order, blanks and escapes of its name', () => {
		fc.assert(fc.property(message, expectSameReading), { numRuns: 1000 });
	});

	it('takes the last of two equal members, with the members inside it', () => {
		const view = new MessageView(
			'{"params":{"name":"a","_meta":{"traceparent":"x"}},"id":1,"params":{"arguments":"u"},"id":2}',
		);
		expect(view.value(member.id)).toBe(2);
		expect(view.has(member.name)).toBe(false);
		expect(view.has(member.traceparent)).toBe(false);
		expect(view.value(member.arguments)).toBe('u');
	});

	it('reports two members of one name in the params at any depth, and in the message itself', () => {
		expect(new MessageView('{"params":{"arguments":{"a":[{"b":1,"b":2}]}}}').isAmbiguous).toBe(true);
		expect(new MessageView('{"params":{"arguments":{"a":1,"\\u0061":2}}}').isAmbiguous).toBe(true);
		expect(new MessageView('{"id":1,"id":1}').isAmbiguous).toBe(true);
		expect(new MessageView('{"params":{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}}').isAmbiguous).toBe(false);
		expect(new MessageView('{"result":{"a":1,"a":2}}').isAmbiguous).toBe(false);
	});

	it('reports equal names among many, wherever they are', () => {
		const names = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 30 });
		fc.assert(
			fc.property(names, fc.nat(), fc.boolean(), (names, at, isRepeated) => {
				const all = isRepeated ? [...names, names[at % names.length] ?? ''] : names;
				const members = all.map((name) => `${JSON.stringify(name)}:1`).join(',');
				expect(new MessageView(`{"params":{"arguments":{${members}}}}`).isAmbiguous).toBe(isRepeated);
			}),
		);
	});

	it('reports half of a surrogate pair', () => {
		expect(new MessageView('{"params":{"name":"\\ud83d"}}').isAmbiguous).toBe(true);
		expect(new MessageView('{"params":{"name":"\\ude00\\ud83d"}}').isAmbiguous).toBe(true);
		expect(new MessageView('{"params":{"name":"\\ud83d\\ude00 \\uD83D\\uDE00"}}').isAmbiguous).toBe(false);
	});

	it('reports a byte order mark, which most parsers refuse', () => {
		expect(new MessageView('\uFEFF{"id":1}').isAmbiguous).toBe(true);
		expect(new MessageView('{"id":"\uFEFF"}').isAmbiguous).toBe(false);
	});

	it('refuses a text that is nested too deeply, naming the limit', () => {
		const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
		expect(isView(nested(MESSAGE_LEVELS))).toBe(true);
		expect(() => new MessageView(nested(MESSAGE_LEVELS + 1))).toThrow(
			`nested deeper than ${MESSAGE_LEVELS} levels`,
		);
		expect(() => new MessageView('[{"a":'.repeat(1_000_000))).toThrow('nested deeper');
	});

	it('says where a text is not JSON', () => {
		expect(() => new MessageView('{"id":1 "method":"m"}')).toThrow('unexpected "\\"" at position 8');
		expect(() => new MessageView('{"id":1} x')).toThrow('position 9');
		expect(() => new MessageView('{"id":"a')).toThrow('ends in the middle');
	});

	it('changes one member and keeps every other byte', () => {
		fc.assert(
			fc.property(message, fc.constantFrom(...members), fc.jsonValue(), (text, name, value) => {
				const changed = new MessageView(text).with([[member[name], JSON.stringify(value)]]);
				expect(JSON.parse(changed)).toEqual(withMember(text, paths[name], JSON.parse(JSON.stringify(value))));
			}),
			{ numRuns: 1000 },
		);
		const request = '{"params":{"name":"a", "_meta":{ }},"id":1.0}';
		const changes = [
			[member.id, '7'],
			[member.progressToken, '7'],
			[member.name, '"b"'],
		] as const;
		expect(new MessageView(request).with(changes)).toBe(
			'{"params":{"name":"b", "_meta":{ "progressToken":7}},"id":7}',
		);
		expect(new MessageView('{ "params": {}, "big": 1.0 }').with([[member.traceparent, '"t"']])).toBe(
			'{ "params": {"_meta":{"traceparent":"t"}}, "big": 1.0 }',
		);
	});
});

type MemberName = keyof typeof member;

const paths: Record<MemberName, string[]> = {
	jsonrpc: ['jsonrpc'],
	id: ['id'],
	method: ['method'],
	params: ['params'],
	name: ['params', 'name'],
	arguments: ['params', 'arguments'],
	inputResponses: ['params', 'inputResponses'],
	requestState: ['params', 'requestState'],
	task: ['params', 'task'],
	meta: ['params', '_meta'],
	progressToken: ['params', '_meta', 'progressToken'],
	traceparent: ['params', '_meta', 'traceparent'],
	budgetTokens: ['params', '_meta', 'orchestra/budgetTokens'],
	protocolVersion: ['params', '_meta', 'io.modelcontextprotocol/protocolVersion'],
	clientCapabilities: ['params', '_meta', 'io.modelcontextprotocol/clientCapabilities'],
	clientInfo: ['params', '_meta', 'io.modelcontextprotocol/clientInfo'],
	logLevel: ['params', '_meta', 'io.modelcontextprotocol/logLevel'],
	result: ['result'],
	content: ['result', 'content'],
	isError: ['result', 'isError'],
	resultType: ['result', 'resultType'],
	ttlMs: ['result', 'ttlMs'],
	cacheScope: ['result', 'cacheScope'],
	structuredContent: ['result', 'structuredContent'],
	tools: ['result', 'tools'],
	resultMeta: ['result', '_meta'],
	error: ['error'],
};
const members = Object.keys(paths) as MemberName[]; // the keys of a record
const names = [...new Set(Object.values(paths).flat()), 'x', '__proto__', 'arguments'];

const key = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom(...names).map((name) => JSON.stringify(name)) },
	fc.constantFrom(...names).map((name) => `"${escaped(name)}"`),
	fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
const blank = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r');
const scalar = fc.oneof(
	fc.constantFrom(
		'0',
		'-0',
		'1.0',
		'1e400',
		'12345678901234567890',
		'true',
		'null',
		'"\\u0069d"',
		'"\\ud800"',
	),
	fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
	fc.string({ unit: 'binary', maxLength: 60 }).map((text) => JSON.stringify(text)),
);
/** JSON texts of objects with the names of a message, in any order, with blanks, escapes and repeated names. */
const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
	value: fc.oneof({ maxDepth: 5 }, scalar, scalar, tie('object'), tie('array')),
	array: fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(' ,')}]`),
	object: fc
		.array(fc.tuple(key, blank, tie('value'), blank), { maxLength: 6 })
		.map((all) => `{${all.map(([name, a, value, b]) => `${a}${name}${b}:${a}${value}${b}`).join(',')}}`),
}));
const message = fc.tuple(blank, object, blank).map((parts) => parts.join(''));
const mutation = fc.record({
	at: fc.nat(),
	remove: fc.nat({ max: 3 }),
	insert: fc.oneof(
		fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', '\u0000', '\n'),
		fc.string(),
	),
});

const validTexts = [
	'0',
	'-0',
	'""',
	' null ',
	'[]',
	'{}',
	'1E+2',
	'[[[]]]',
	'{"a":{"b":[1,{}]}}',
	'"\u007f\u2028"',
	'\t[ ]\r\n',
];
const invalidTexts = [
	'',
	' ',
	'01',
	'-',
	'+1',
	'1.',
	'.5',
	'1e',
	'1e+',
	'tru',
	'nulll',
	'NaN',
	"'a'",
	'"\t"',
	'"\\x41"',
	'"\\u12"',
	'"a',
	'[1,]',
	'[,1]',
	'[1 2]',
	'[',
	']',
	'[}',
	'{]',
	'{"a"}',
	'{"a":}',
	'{"a":1,}',
	'{,}',
	'{a:1}',
	'{"a":1"b":2}',
	'{} {}',
	'\u00a0[]',
	'[]\ufeff',
	'//\n1',
	'[1]]',
	'{"a":1}}',
	'"\\',
	'"\\u',
	'-01',
	'1.e1',
	'\u000b1',
];

function escaped(name: string): string {
	return Array.from(name, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

function isView(text: string): boolean {
	try {
		return new MessageView(text).text === text;
	} catch (error) {
		expect(error).toBeInstanceOf(SyntaxError);
		return false;
	}
}

function expectSameReading(text: string): void {
	const view = new MessageView(text);
	const value: unknown = JSON.parse(text);
	for (const name of members)
		expect([name, view.value(member[name])]).toEqual([name, at(value, paths[name])]);
}

function at(value: unknown, path: readonly string[]): unknown {
	let found = value;
	for (const name of path) {
		const isPlain = typeof found === 'object' && found !== null && !Array.isArray(found);
		found =
			isPlain && Object.hasOwn(found as object, name) ? (found as Record<string, unknown>)[name] : undefined;
	}
	return found;
}

/** The parsed message with a member set; whatever is on its path and is no object becomes one. */
function withMember(text: string, path: readonly string[], value: unknown): unknown {
	const message = JSON.parse(text) as Record<string, unknown>;
	let inside = message;
	for (const name of path.slice(0, -1)) {
		const next = at(inside, [name]);
		const isPlain = typeof next === 'object' && next !== null && !Array.isArray(next);
		inside[name] = isPlain ? next : {};
		inside = inside[name] as Record<string, unknown>;
	}
	inside[path.at(-1) ?? ''] = value;
	return message;
}

function inSlices(text: string, characters: number): MessageView | undefined {
	const steps = MessageView.inSlices(text, characters);
	for (;;) {
		const { done, value } = steps.next();
		if (done) return value;
	}
}

function readingOf(view: MessageView | undefined): unknown {
	if (view === undefined) return undefined;
	const { isAmbiguous, hasLineBreak, isCanonical } = view;
	return {
		isAmbiguous,
		hasLineBreak,
		isCanonical,
		sources: members.map((name) => view.source(member[name])),
	};
}
