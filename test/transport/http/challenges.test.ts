import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges } from '../../../src/transport/http/challenges.ts';

describe('parseChallenges', () => {
	it('finds every challenge of one header, each with its own parameters', () => {
		const header = 'Basic realm="a, b", Bearer resource_metadata="https://x/y?z=1", scope="read write"';
		expect(parsed(header)).toEqual([
			['basic', { realm: 'a, b' }],
			['bearer', { resource_metadata: 'https://x/y?z=1', scope: 'read write' }],
		]);
	});

	it('reads several headers that were joined', () => {
		expect(parsed('Basic realm="x", BEARER Error=invalid_token')).toEqual([
			['basic', { realm: 'x' }],
			['bearer', { error: 'invalid_token' }],
		]);
	});

	it('does not take a parameter out of a quoted description', () => {
		const header = String.raw`Bearer error_description="use scope=\"admin\", or ask", scope="read"`;
		expect(parsed(header)).toEqual([
			['bearer', { error_description: 'use scope="admin", or ask', scope: 'read' }],
		]);
	});

	it('accepts spaces around "=", a scheme alone, and keeps the first of repeated parameters', () => {
		expect(parsed('Negotiate, Bearer scope = "a", scope="b", realm=')).toEqual([
			['negotiate', {}],
			['bearer', { scope: 'a', realm: '' }],
		]);
	});

	it('skips parameters before any scheme and text that breaks the grammar', () => {
		expect(parsed('x="1", é Bearer error="y')).toEqual([
			['bearer', { error: '' }],
			['y', {}],
		]);
	});

	it('ends for any text', () => {
		fc.assert(fc.property(fc.string(), (text) => parseChallenges(text).length <= text.length));
	});

	it('reads a bounded part of a huge header', () => {
		expect(parsed(`Bearer scope="${'x'.repeat(100_000)}"`)[0]?.[0]).toBe('bearer');
	});
});

function parsed(header: string): [string, Record<string, string>][] {
	return parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
}
