import { describe, expect, it } from 'vitest';
import { looksLikeSecret, maskSecrets, plainSecrets } from '../../../src/config/clients/plain-secrets.ts';

describe('looksLikeSecret', () => {
	it.each([
		['GITHUB_TOKEN', 'abc123'],
		['anything', 'ghp_0123456789abcdefghij'],
		['Authorization', 'Bearer abcdefgh12345'],
		['OPENAI_API_KEY', 'x'],
		['DATABASE_URL', 'postgres://me:hunter2@host/db'],
	])('is true for %s', (name, value) => {
		expect(looksLikeSecret(name, value)).toBe(true);
	});

	it.each([
		['GITHUB_TOKEN', '${GITHUB_TOKEN}'],
		['Authorization', 'Bearer ${TOKEN}'],
		['DEBUG', '1'],
		['TOKEN_FILE', '/run/secrets/x'],
		['MAX_TOKENS', '4096'],
		['HOME', '/home/me'],
	])('is false for %s=%s', (name, value) => {
		expect(looksLikeSecret(name, value)).toBe(false);
	});
});

it('names the values of an entry that look like secrets', () => {
	const entry = {
		args: ['--api-key', 'abc', 'x'],
		env: { A: '1', MY_TOKEN: 'abc' },
		headers: { Cookie: 'a=b' },
	};
	expect(plainSecrets(entry)).toEqual(['env.MY_TOKEN', 'headers.Cookie', 'args.1']);
});

describe('maskSecrets', () => {
	it.each([
		['+    "TOKEN": "abc",', '+    "TOKEN": "********",'],
		['-TOKEN = "abc"', '-TOKEN = ********'],
		[' token: abc', ' token: ********'],
		['{"env":{"A":"1","API_KEY":"abc"}}', '{"env":{"A":"1","API_KEY":"********"}}'],
		['  "args": ["ghp_0123456789abcdefghij"]', '  "args": ["********"]'],
		['  "command": "npx"', '  "command": "npx"'],
	])('masks %s', (line, expected) => {
		expect(maskSecrets(line)).toBe(expected);
	});

	it('masks values that are known to be secrets, also where they are escaped', () => {
		expect(maskSecrets('["a\\"b cd"]', ['a"b cd'])).toBe('["********"]');
	});
});
