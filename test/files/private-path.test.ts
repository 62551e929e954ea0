/* Paths that only their owner may write. */
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertPrivate } from '../../src/files/private-path.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('assertPrivate', () => {
	it('accepts our own folder, and a path that does not exist', () => {
		const folder = temporaryFolder();
		assertPrivate(folder);
		assertPrivate(join(folder, 'missing'));
	});

	it('refuses a folder that others may write', () => {
		const folder = temporaryFolder();
		chmodSync(folder, 0o777);
		expect(() => assertPrivate(folder)).toThrow('can be written by other users');
	});

	it('refuses a folder of another user', () => {
		const folder = temporaryFolder();
		const other = (process.getuid?.() ?? 0) + 1;
		expect(() => assertPrivate(folder, other)).toThrow('not to you');
	});

	it('refuses a symbolic link', () => {
		const folder = temporaryFolder();
		symlinkSync('/', join(folder, 'link'));
		expect(() => assertPrivate(join(folder, 'link'))).toThrow('is a symbolic link');
	});
});
