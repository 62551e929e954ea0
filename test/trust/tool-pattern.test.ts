import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerNames } from '../../src/trust/tool-name.ts';
import { toolPattern } from '../../src/trust/tool-pattern.ts';
import { matchesWildcard } from '../../src/trust/wildcard.ts';

describe('a pattern of tools', () => {
	it.each([
		['files__*', ['files'], 'files', 'read', true],
		['files__read_*', ['files'], 'files', 'read_text', true],
		['files__*', ['files'], 'files__old', 'read', false],
		['files__old__*', ['files', 'files__old'], 'files', 'old__read', false],
		['files__old__*', ['files', 'files__old'], 'files__old', 'read', true],
		['files__old__*', ['files'], 'files', 'old__read', true],
		['files__*', ['files_'], 'files_', 'read', false],
		['files*', ['files', 'filesystem'], 'filesystem', 'read', true],
		['*delete*', ['db'], 'db', 'delete_row', true],
		['*', ['db'], 'db', 'drop', true],
		['*__read_*', ['db'], 'db', 'read_row', true],
		['*__read_*', ['evil'], 'evil', 'delete__read_x', false],
		['gpu__*', [], 'gpu', 'run', true],
		['gpu__*', [], 'gpu_', 'run', false],
		['my__*', ['my__db'], 'my__db', 'drop', true],
		['my__*', ['my', 'my__db'], 'my__db', 'drop', false],
		['rm', ['db'], undefined, 'rm', true],
		['rm', ['db'], 'db', 'rm', false],
		['db__*', ['db'], undefined, 'db__rm', false],
	] as const)('%s with the servers %s: %s, %s', (pattern, servers, server, tool, isMatch) => {
		const test = toolPattern(pattern, new ServerNames(servers));
		expect(test({ name: 'as-clients-see-it', server, tool })).toBe(isMatch);
	});

	it('is also the name of one tool, as clients see it', () => {
		const tool = { name: 'a_b_0badcafe__c', server: 'a__b', tool: 'c' };
		expect(toolPattern('a_b_0badcafe__c', new ServerNames(['a__b']))(tool)).toBe(true);
		expect(toolPattern('a__b__c', new ServerNames(['a__b']))(tool)).toBe(true);
	});

	it('that begins with a server never matches a tool of another server, whatever that is called', () => {
		const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 6 });
		fc.assert(
			fc.property(fc.uniqueArray(anyText, { minLength: 2 }), anyText, (servers, tool) => {
				const [meant = '', other = ''] = servers;
				const test = toolPattern(`${meant}__*`, new ServerNames(servers));
				expect(test({ name: '', server: meant, tool })).toBe(isReadAs(servers, meant));
				expect(test({ name: '', server: other, tool })).toBe(isReadAs(servers, meant, other));
			}),
		);
	});

	it('matches as the text does where no name has the separator in it', () => {
		const anyText = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
		const anyPattern = fc.string({ unit: fc.constantFrom('a', 'b', '__', '*'), maxLength: 8 });
		fc.assert(
			fc.property(
				fc.uniqueArray(anyText, { minLength: 1 }),
				anyText,
				anyPattern,
				(servers, tool, pattern) => {
					fc.pre(pattern.split('__').length <= 2);
					const [server = ''] = servers;
					const name = `${server}__${tool}`;
					const test = toolPattern(pattern, new ServerNames(servers));
					expect(test({ name, server, tool })).toBe(matchesWildcard(pattern, name));
				},
			),
			{ numRuns: 1000 },
		);
	});
});

/** `meant__` is the begin of a longer server too when that ends with `_`: the longest one counts. */
function isReadAs(servers: readonly string[], meant: string, server = meant): boolean {
	const longest = servers
		.filter((each) => `${meant}__`.startsWith(`${each}__`))
		.sort((one, other) => other.length - one.length)[0];
	return longest === server;
}
