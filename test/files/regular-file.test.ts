/* Untrusted files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRegularFile, readRegularText } from '../../src/files/regular-file.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('readRegularFile', () => {
	it('reads a regular file whole', () => {
		const file = join(temporaryFolder(), 'a');
		writeFileSync(file, 'x'.repeat(100_000));
		expect(readRegularFile(file).length).toBe(100_000);
	});

	it('reads a file whose size is not known beforehand', () => {
		expect(readRegularText(process.platform === 'linux' ? '/proc/self/stat' : import.meta.filename)).not.toBe(
			'',
		);
	});

	it('refuses a named pipe at once', () => {
		const file = join(temporaryFolder(), 'pipe');
		execFileSync('mkfifo', [file]);
		expect(() => readRegularFile(file)).toThrow('is a named pipe, not a regular file');
	});

	it('refuses an endless device and a folder', () => {
		const folder = temporaryFolder();
		mkdirSync(join(folder, 'sub'));
		expect(() => readRegularFile('/dev/zero')).toThrow('is a device or socket');
		expect(() => readRegularFile(join(folder, 'sub'))).toThrow('is a folder');
	});

	it('refuses a file over the limit, naming the limit', () => {
		const file = join(temporaryFolder(), 'large');
		writeFileSync(file, '12345');
		expect(() => readRegularFile(file, 4)).toThrow('is larger than 4 bytes');
		expect(readRegularFile(file, 5).length).toBe(5);
	});
});
