import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NESTING_DEPTH } from '../../../src/core-limits.ts';
import { FRONT_MATTER_LIMIT_BYTES, METADATA_LIMIT_VALUES } from '../../../src/hub/storage/storage-limits.ts';
import { decodeFile, decodeVersion, encodeFile, isBlockCut } from '../../../src/hub/storage/stored-file.ts';
import type { JsonObject, JsonValue } from '../../../src/wire/json.ts';

const awkward = fc.string({
	unit: fc.constantFrom('-', '\n', '\r', ':', ' ', '#', '"', "'", '|', 'a', '0', '~', '\t', 'é', '\u2028'),
});
const jsonValue = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		awkward,
		fc.string(),
		fc.integer(),
		fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
		fc.boolean(),
		fc.constant(null),
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(fc.oneof(awkward, fc.string()), tie('value'), { maxKeys: 3 }),
	),
})).value;
const metadataOf = fc.dictionary(fc.oneof(awkward, fc.string()), jsonValue, {
	maxKeys: 5,
}) as fc.Arbitrary<JsonObject>;
const content = fc.oneof(
	fc.uint8Array(),
	awkward.map((text) => Uint8Array.from(Buffer.from(`---\n${text}`))),
);

describe('a stored file', () => {
	it('returns content, metadata and version exactly as they were written', () => {
		const version = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });
		fc.assert(
			fc.property(content, metadataOf, version, (bytes, metadata, number) => {
				const file = encodeFile({ content: bytes, metadata, version: number });
				const found = decodeFile(file);
				expect(Buffer.from(found.content).equals(bytes)).toBe(true);
				expect(found.metadata).toEqual(JSON.parse(JSON.stringify(metadata)));
				expect(found.version).toBe(number);
				expect(decodeVersion(file)).toBe(number);
			}),
			{ numRuns: 300 },
		);
	});

	it('loses no byte of any file that another program wrote', () => {
		const line = fc.constantFrom(
			'---',
			'a: b',
			'a: [',
			'storage_version: 7',
			'',
			'- x',
			'...',
			'--- ',
			'\tx',
		);
		fc.assert(
			fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, newline) => {
				const text = lines.join(newline);
				const found = decodeFile(Buffer.from(text));
				expect(text.endsWith(Buffer.from(found.content).toString())).toBe(true);
				expect(Object.keys(found.metadata).length === 0 || text.startsWith('---')).toBe(true);
			}),
		);
	});

	it.each([
		['no front matter', 'hello', {}, 1n, 'hello'],
		['front matter without a version', '---\ntitle: Hi\n---\nhello', { title: 'Hi' }, 1n, 'hello'],
		['Windows line ends', '---\r\nstorage_version: 4\r\na: b\r\n---\r\nhello', { a: 'b' }, 4n, 'hello'],
		['the version below other keys', '---\na: b\nstorage_version: 4\n---\nhello', { a: 'b' }, 4n, 'hello'],
		[
			'YAML that is broken',
			'---\nstorage_version: 4\na: [\n---\nx',
			{},
			4n,
			'---\nstorage_version: 4\na: [\n---\nx',
		],
		['a fence that is never closed', '---\na: b\n', {}, 1n, '---\na: b\n'],
		['only front matter', '---\na: b\n---', { a: 'b' }, 1n, ''],
		['a rule where front matter would begin', '---\n\ntext', {}, 1n, '---\n\ntext'],
	])('is read with %s', (...row) => {
		const [, text, metadata, version, body] = row;
		const found = decodeFile(Buffer.from(text));
		expect({ ...found, content: Buffer.from(found.content).toString() }).toEqual({
			metadata,
			version,
			content: body,
		});
	});

	it('detects that its head was cut inside the front matter', () => {
		const file = encodeFile({
			content: Buffer.from('x'),
			metadata: { text: 'long '.repeat(100) },
			version: 9n,
		});
		expect(isBlockCut(file.subarray(0, 100))).toBe(true);
		expect(isBlockCut(file)).toBe(false);
		expect(isBlockCut(Buffer.from('# Title'))).toBe(false);
	});

	it.each([
		[
			'as many values',
			Object.fromEntries(Array.from({ length: METADATA_LIMIT_VALUES }, (_, at) => [`k${at}`, `v ${at}: x`])),
		],
		['as many items', { list: Array.from({ length: METADATA_LIMIT_VALUES - 1 }, (_, at) => at) }],
		['maps as deep', nested(NESTING_DEPTH, (inner) => ({ a: inner }))],
		['lists as deep', { a: nested(NESTING_DEPTH - 1, (inner) => [inner]) }],
	])('returns %s up to the limit', (_, value) => {
		// Built from plain values above.
		const metadata = value as JsonObject;
		const bytes = encodeFile({ content: Buffer.from('x'), metadata, version: 2n });
		expect(decodeFile(bytes).metadata).toEqual(metadata);
	});

	it('refuses metadata with too much nesting or too many values before it is parsed', () => {
		const deep = nested(5_000, (inner) => ({ a: inner })) as JsonObject;
		const many = { list: Array.from({ length: METADATA_LIMIT_VALUES + 1 }, () => 1) };
		expect(() => encodeFile({ content: Buffer.from(''), metadata: deep, version: 1n })).toThrow(
			'nested deeper than 64',
		);
		expect(() => encodeFile({ content: Buffer.from(''), metadata: many, version: 1n })).toThrow(
			'more than 3000 values',
		);
	});

	it('treats a block with too much nesting as content', () => {
		const bytes = Buffer.from(`---\na: ${'['.repeat(3_000)}\n---\nText`);
		expect(decodeFile(bytes)).toMatchObject({ metadata: {}, content: bytes });
	});

	it('refuses metadata that cannot be read back', () => {
		const large = { text: 'x'.repeat(FRONT_MATTER_LIMIT_BYTES) };
		expect(() => encodeFile({ content: Buffer.from(''), metadata: large, version: 1n })).toThrow(
			'more than 262144',
		);
		const reserved = { storage_version: 3 };
		expect(() => encodeFile({ content: Buffer.from(''), metadata: reserved, version: 1n })).toThrow(
			'storage_version',
		);
	});
});

function nested(depth: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
	let value: JsonValue = 'x';
	for (let at = 0; at < depth; at++) value = wrap(value);
	return value;
}
