/* The text of a server's answer for a client of an older revision. */
import { describe, expect, it } from 'vitest';
import { forLegacy } from '../../src/mcp/server/adapt.ts';
import { SERVER_INFO } from '../../src/protocol/meta.ts';
import { negotiate } from '../../src/protocol/revisions.ts';
import { encodeJson, JsonText } from '../../src/wire/json-text.ts';

const revision = negotiate('2025-11-25');
const inner = '{"structuredContent":{"id":12345678901234567890}';

describe('forLegacy', () => {
	it('removes the modern members of a text and keeps the rest as it was written', () => {
		const meta = `"_meta":{"a":1.0,"${SERVER_INFO}":{"name":"child"}}`;
		const modern = new JsonText(`${inner}, "resultType":"complete",${meta},"ttlMs":5}`);
		expect(encodeJson(forLegacy(modern, revision))).toBe(`${inner},"_meta":{"a":1.0}}`);
	});

	it('removes a `_meta` that would be empty', () => {
		const modern = new JsonText(`${inner},"_meta":{"${SERVER_INFO}":{"name":"child"}}}`);
		expect(encodeJson(forLegacy(modern, revision))).toBe(`${inner}}`);
	});

	it('does the same to a value', () => {
		const _meta = { a: 1, [SERVER_INFO]: { name: 'child' } };
		expect(forLegacy({ content: [], cacheScope: 'private', _meta }, revision)).toEqual({
			content: [],
			_meta: { a: 1 },
		});
		expect(forLegacy({ content: [], _meta: { [SERVER_INFO]: {} } }, revision)).toEqual({ content: [] });
	});

	it('keeps the numbers beside a member that has to change', () => {
		const modern = new JsonText('{"content":[{"type":"text","text":"","n":1.0}],"structuredContent":[2.0]}');
		expect(encodeJson(forLegacy(modern, revision))).toBe('{"content":[{"type":"text","text":"","n":1.0}]}');
	});

	it('gives back an answer that has nothing to remove', () => {
		const answer = new JsonText('{"content":[],"_meta":{"a":1.0}}');
		expect(forLegacy(answer, revision)).toBe(answer);
	});
});
