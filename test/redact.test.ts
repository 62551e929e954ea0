import { describe, expect, test } from 'vitest';
import { addSecret, hasSecret, redact, redactJson } from '../src/redact.ts';

describe('known secrets', () => {
	test('a known value is replaced wherever it occurs', () => {
		addSecret('correct-horse-battery');
		expect(redact('a correct-horse-battery, correct-horse-battery!')).toBe('a •••, •••!');
	});

	test('a text that had no secret has one when it is added later', () => {
		const text = 'client of late-secret-value';
		expect([hasSecret(text), hasSecret(text)]).toEqual([false, false]);
		addSecret('late-secret-value');
		expect(hasSecret(text)).toBe(true);
	});

	test('a value is found in JSON, in a URL and in Base64', () => {
		const secret = 'q"uote d\\pass/word';
		addSecret(secret);
		const forms = [JSON.stringify(secret), encodeURIComponent(secret), btoa(secret)];
		for (const form of forms) expect(redact(`<${form}>`)).not.toContain('pass');
		expect(redact(btoa(secret))).toMatch(/^•••=*$/);
	});

	test('each line of a secret with many lines is replaced', () => {
		addSecret('first line of it\nsecond line of it\n');
		expect(redact('x second line of it y')).toBe('x ••• y');
	});

	test('a long secret is replaced as a whole', () => {
		const long = Array.from({ length: 50 }, (_, index) => `part${index}`).join('');
		addSecret(long);
		expect(redact(`[${long}]`)).toBe('[•••]');
	});

	test('a value of less than eight characters stays', () => {
		addSecret('short');
		expect(redact('a short word')).toBe('a short word');
	});

	test('strings inside a JSON value are replaced, and an unchanged value is the same object', () => {
		addSecret('inside-of-a-list');
		expect(redactJson({ a: ['inside-of-a-list', 1] })).toEqual({ a: ['•••', 1] });
		const plain = { a: [1, { b: 'c' }] };
		expect(redactJson(plain)).toBe(plain);
	});
});

describe('token shapes', () => {
	test.each([
		'set the token GITHUB_TOKEN',
		'Authorization: Bearer ${GITHUB_TOKEN}',
		'postgres://user:${DB_PASSWORD}@host/db',
		'--url https://host/?api_key=${WEATHER_API_KEY}',
	])('keeps the names of variables: %s', (text) => {
		expect(redact(text)).toBe(text);
	});

	test('replaces a default in a reference, and a token beside a name', () => {
		expect(redact('?token=${GITHUB_TOKEN:-secret-value}')).toBe('?token=•••');
		expect(redact('Bearer ABC_DEF_123456')).toBe('Bearer •••');
	});

	const letters = 'abcdefghijABCDEFGHIJ0123456789abcdefghij';
	test.each([
		`ghp_${letters}`,
		`github_pat_${letters}`,
		`glpat-${letters.slice(0, 20)}`,
		`xoxb-123456789012-${letters}`,
		'AKIAABCDEFGHIJKLMNOP',
		`sk-proj-${letters}`,
		`sk-ant-api03-${letters}`,
		`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${letters}`,
	])('%s is replaced', (token) => {
		expect(redact(`token: ${token}.`)).toBe('token: •••.');
	});

	test('credentials in headers, URLs and forms are replaced, and their names stay', () => {
		expect(redact('authorization: Bearer abc.def-123')).toBe('authorization: Bearer •••');
		expect(redact('postgres://me:hunter2@db/x')).toBe('postgres://me:•••@db/x');
		expect(redact('GET /x?access_token=0123456789&a=1')).toBe('GET /x?access_token=•••&a=1');
	});

	test('ordinary text stays', () => {
		for (const text of [
			'Bearer authentication is required',
			'the task-runner-with-a-very-long-name ran',
			'https://example.com:8080/a@b',
			'/usr/lib/node_modules/npm/bin/npx-cli.js',
		])
			expect(redact(text)).toBe(text);
	});

	test('a hostile text of a megabyte is done in time', () => {
		for (const piece of [
			'eyJ',
			'ghp_',
			'Bearer ',
			'://a:',
			'sk-',
			'-----BEGIN PRIVATE KEY-----',
			'token=',
			'eyJaaaa.',
		]) {
			// Quadratic time would be minutes, far beyond the timeout of the test.
			expect(redact(piece.repeat(300_000))).toBeTypeOf('string');
		}
	});
});
