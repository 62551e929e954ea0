import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { readMatchRequest } from '../../src/library/match/match-request.ts';
import { fragmentUri, parseUri } from '../../src/library/uri.ts';
import { thrownBy } from '../support/programs.ts';

describe('parseUri', () => {
	it.each([
		['orchestr8://registry', { kind: 'registry' }],
		['orchestr8://agents', { kind: 'category', category: 'agents' }],
		['orchestr8://agents/a/b', { kind: 'fragment', name: 'agents/a/b' }],
		['orchestr8://agents/a%20b', { kind: 'fragment', name: 'agents/a b' }],
		['orchestr8://match', { kind: 'match', category: undefined }],
		['orchestr8://match?query=x', { kind: 'match', category: undefined }],
		['orchestr8://agents/match?query=x', { kind: 'match', category: 'agents' }],
	])('reads %s', (uri, parsed) => {
		expect(parseUri(uri)).toMatchObject(parsed);
	});

	it.each([
		'orchestr8://../etc/passwd',
		'orchestr8://agents/../../etc/passwd',
		'orchestr8://agents/%2e%2e/%2E%2E/etc/passwd',
		'orchestr8://agents/..%2f..%2fetc/passwd',
		'orchestr8://agents/%2e%2e%5cwindows',
		'orchestr8:///etc/passwd',
		'orchestr8://agents//x',
		'orchestr8://agents/a%00b',
		'orchestr8://agents/%zz',
		'orchestr8://agents/x?query=y',
		'orchestr8://',
		'file:///etc/passwd',
		'agents/x',
	])('finds nothing at %s', (uri) => {
		expect(parseUri(uri)).toBeUndefined();
	});

	it('returns the name of any file unchanged', () => {
		const segment = fc
			.string({ minLength: 1, unit: 'grapheme' })
			.filter((name) => !/[/\\\0]|^\.\.?$/.test(name));
		fc.assert(
			fc.property(fc.array(segment, { minLength: 2, maxLength: 4 }), (segments) => {
				const name = segments.join('/');
				expect(parseUri(fragmentUri(name))).toEqual({ kind: 'fragment', name });
			}),
		);
	});

	it('returns a value or bad_input for any text', async () => {
		await fc.assert(
			fc.asyncProperty(fc.string(), async (text) => {
				const error = await thrownBy(() => parseUri(`orchestr8://${text}`)).catch(() => undefined);
				expect(error === undefined || OrchestraError.is(error, 'bad_input')).toBe(true);
			}),
		);
	});
});

describe('match parameters', () => {
	it('have defaults', () => {
		expect(requestOf('query=retry')).toEqual({
			query: 'retry',
			mode: 'catalog',
			maxTokens: 3000,
			maxResults: 15,
			minScore: 0,
			tags: [],
			categories: [],
		});
	});

	it('decode + and %20 as spaces, and use the first of equal keys', () => {
		expect(requestOf('query=a+b%20c&query=other&mode=index&mode=full')).toMatchObject({
			query: 'a b c',
			mode: 'index',
		});
	});

	it('drop empty tags and categories', () => {
		expect(requestOf('query=x&tags=a,,+B,&categories=,y')).toMatchObject({
			tags: ['a', 'b'],
			categories: ['y'],
		});
	});

	it.each([
		['', 'query'],
		['query=', 'query'],
		['query=+', 'query'],
		['query=x&maxTokens=many', 'maxTokens'],
		['query=x&maxTokens=0', 'maxTokens'],
		['query=x&maxTokens=-5', 'maxTokens'],
		['query=x&maxTokens=1.5', 'maxTokens'],
		['query=x&maxResults=', 'maxResults'],
		['query=x&minScore=high', 'minScore'],
		['query=x&mode=all', 'mode'],
		['query=%E0%A4%A', 'query'],
		[`query=${'x'.repeat(5000)}`, 'query'],
	])('of "%.30s" are refused, naming %s', async (query, key) => {
		const error = await thrownBy(() => requestOf(query));
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		expect(String(error)).toContain(`"${key}"`);
	});
});

function requestOf(query: string): unknown {
	const parsed = parseUri(`orchestr8://match?${query}`);
	if (parsed?.kind !== 'match') throw new Error('not a match');
	return readMatchRequest(parsed.category, parsed.parameters);
}
