import { describe, expect, it } from 'vitest';
import { messageOf, OrchestraError } from '../src/errors.ts';

describe('OrchestraError', () => {
	it('carries code, hint, data and cause', () => {
		const cause = new Error('disk');
		const error = new OrchestraError('io', 'IO error: disk', {
			cause,
			hint: 'Free some space.',
			data: { path: 'x' },
		});
		expect(error).toMatchObject({ code: 'io', hint: 'Free some space.', data: { path: 'x' }, cause });
	});

	it('is recognised by code, and across two copies of the package', async () => {
		const copy = '../src/errors.ts?copy';
		const other = await import(copy);
		const foreign: unknown = new other.OrchestraError('timeout', 'late');
		expect(foreign).not.toBeInstanceOf(OrchestraError);
		expect(OrchestraError.is(foreign, 'timeout')).toBe(true);
		expect(OrchestraError.is(foreign, 'closed')).toBe(false);
	});

	it('wraps any thrown value with a code, and returns an OrchestraError as it is', () => {
		const known = new OrchestraError('closed', 'gone');
		expect(OrchestraError.from(known)).toBe(known);
		expect(OrchestraError.from('plain', 'io')).toMatchObject({
			code: 'io',
			message: 'plain',
			cause: 'plain',
		});
		expect(messageOf(new Error('x'))).toBe('x');
	});

	it.each([
		[{ code: 'ERR_MODULE_NOT_FOUND', url: 'file:///p/dist/chunks/a.js' }, '', 'closed'],
		[{ code: 'ENOENT', path: '/p/dist/chunks/a.js' }, 'node:internal/modules/esm/load:48:14', 'closed'],
		[{ code: 'ENOENT', path: '/p/dist/chunks/a.js' }, 'at readFile (/p/of/a/user.js:1:1)', 'internal'],
		[{ code: 'ERR_MODULE_NOT_FOUND', url: 'file:///p/of/a/user.js' }, '', 'internal'],
	])('knows that a file of the program is gone, however Node.js says it: %j %s', (about, stack, code) => {
		const error = Object.assign(new Error('missing'), about, { stack });
		expect(OrchestraError.from(error).code).toBe(code);
	});
});
