import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../src/files/make-folders.ts';
import { mctl } from '../support/mctl.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('makeFolders', () => {
	it('makes a folder with those above it, and says whether it is new', () => {
		const root = temporaryFolder();
		expect(makeFolders(join(root, 'a/b'), 0o700)).toBe(true);
		expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
		expect(makeFolders(join(root, 'a/b/'))).toBe(false);
		writeFileSync(join(root, 'file'), '');
		expect(() => makeFolders(join(root, 'file'))).toThrow('EEXIST');
		expect(() => makeFolders(join(root, 'file/c'))).toThrow('ENOTDIR');
	});

	it.runIf(process.platform === 'linux')('fails where no folder can be made', async () => {
		expect(() => makeFolders('/proc/none/a')).toThrow('ENOENT');
		const { code, stderr } = await mctl(['record', '--to', '/proc/none', '--', 'cat']);
		expect([code, stderr]).toEqual([69, expect.stringContaining('for recordings cannot be made')]);
	});
});
