import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bearerOf } from '../../src/oauth/discovery.ts';
import { parseChallenges } from '../../src/transport/http/challenges.ts';

const token = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
const value = fc.string({ maxLength: 20 });

describe('the challenges of a server', () => {
	it('are read back as they were written, whatever their values hold', () => {
		const parameters = fc.uniqueArray(fc.tuple(token, value), { maxLength: 4, selector: ([name]) => name });
		fc.assert(
			fc.property(fc.array(fc.tuple(token, parameters), { maxLength: 4 }), (challenges) => {
				const read = parseChallenges(challenges.map(written).join(', '));
				expect(read.map(({ scheme, parameters: found }) => [scheme, [...found]])).toEqual(challenges);
			}),
		);
	});

	it('give the Bearer parameters, behind any other scheme', () => {
		fc.assert(
			fc.property(value, value, (realm, scope) => {
				const header = `${written(['basic', [['realm', realm]]])}, ${written(['bearer', [['scope', scope]]])}`;
				expect(bearerOf(parseChallenges(header)).get('scope')).toBe(scope);
			}),
		);
	});

	it('prefer a Bearer challenge that names metadata', () => {
		const header = 'Bearer realm="a", Bearer resource_metadata="https://a.example/"';
		expect(bearerOf(parseChallenges(header)).get('resource_metadata')).toBe('https://a.example/');
	});
});

function written([scheme, parameters]: [string, [string, string][]]): string {
	const quoted = parameters.map(([name, text]) => `${name}="${text.replaceAll(/["\\]/g, '\\$&')}"`);
	return `${scheme} ${quoted.join(', ')}`;
}
