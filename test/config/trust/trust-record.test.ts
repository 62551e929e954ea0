import { chmodSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TrustRecord } from '../../../src/config/trust/trust-record.ts';
import { mctl } from '../../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const bytes = Buffer.from('{ "plugins": [] }');

describe('TrustRecord', () => {
	it('trusts bytes at a place, and neither other bytes there nor the same bytes elsewhere', async () => {
		const { record, folder } = newRecord();
		await record.trust(join(folder, 'orchestra.json'), bytes, {});
		expect(record.has(join(folder, 'orchestra.json'), bytes)).toBe(true);
		expect(record.has(join(folder, 'orchestra.json'), Buffer.from('{}'))).toBe(false);
		expect(record.has(join(folder, '.mcp.json'), bytes)).toBe(false);
		expect(record.has(join(dirname(folder), 'orchestra.json'), bytes)).toBe(false);
	});

	it('retains the last ten versions of a file', async () => {
		const { record, folder } = newRecord();
		const file = join(folder, 'orchestra.json');
		const versions = Array.from({ length: 11 }, (_, at) => Buffer.from(`{ "version": ${at} }`));
		for (const version of versions) await record.trust(file, version, {});
		expect(versions.map((version) => record.has(file, version))).toEqual([false, ...Array(10).fill(true)]);
	});

	it('names a file by its folder without links, and not by the target of a link', async () => {
		const { record, folder } = newRecord();
		writeFiles(folder, { 'real/orchestra.json': bytes, 'other/.keep': '' });
		symlinkSync(join(folder, 'real'), join(folder, 'alias'));
		symlinkSync(join(folder, 'real/orchestra.json'), join(folder, 'other/orchestra.json'));
		await record.trust(join(folder, 'alias/orchestra.json'), bytes, {});
		expect(record.has(join(folder, 'real/orchestra.json'), bytes)).toBe(true);
		expect(record.has(join(folder, 'other/orchestra.json'), bytes)).toBe(false);
	});

	it('is readable by the user alone', async () => {
		const { record, folder } = newRecord();
		await record.trust(join(folder, 'orchestra.json'), bytes, {});
		expect(statSync(record.file).mode & 0o777).toBe(0o600);
		expect(statSync(dirname(record.file)).mode & 0o777).toBe(0o700);
	});

	it('trusts nothing when it is damaged, and refuses a record that others may write', async () => {
		const { record, folder } = newRecord();
		await record.trust(join(folder, 'orchestra.json'), bytes, {});
		const entries = [null, 1, { path: 'x' }, { path: 'x', trustedAt: '', sha256: 'all', runs: {} }];
		for (const text of ['', '{', '[]', '{"projects":{}}', JSON.stringify({ projects: entries })]) {
			writeFileSync(record.file, text);
			expect(record.list()).toEqual([]);
		}
		writeFileSync(record.file, ' '.repeat(4 * 1024 * 1024 + 1));
		expect(() => record.list()).toThrow('too large to be read');
		writeFileSync(record.file, '');
		for (const name of ['a', 'b', 'c'])
			await record.trust(join(folder, name), bytes, { x: name.repeat(2e6) });
		expect(record.list().map(({ path }) => basename(path))).toEqual(['c', 'b']);
		chmodSync(record.file, 0o622);
		expect(() => record.list()).toThrow('can be written by other users');
	});

	it('keeps every project when several processes write at once', async () => {
		const home = temporaryFolder();
		const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: '' };
		const names = Array.from({ length: 6 }, (_, at) => `project-${at}`);
		const plugin = JSON.stringify({ plugins: [{ id: 'a', binary: 'b' }] });
		for (const name of names) writeFiles(join(home, name), { 'orchestra.json': plugin });
		const ended = await Promise.all(names.map((name) => mctl(['trust'], { cwd: join(home, name), env })));
		expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
		const { stdout } = await mctl(['trust', '--list', '--json'], { cwd: home, env });
		expect(
			JSON.parse(stdout)
				.projects.map(({ path }: { path: string }) => path)
				.sort(),
		).toEqual(names.map((name) => join(home, name, 'orchestra.json')));
	});

	it('forgets a folder that moved away', async () => {
		const { record, folder } = newRecord();
		mkdirSync(join(folder, 'old'));
		await record.trust(join(folder, 'old/orchestra.json'), bytes, {});
		renameSync(join(folder, 'old'), join(folder, 'new'));
		expect(record.has(join(folder, 'new/orchestra.json'), bytes)).toBe(false);
	});
});

function newRecord(): { record: TrustRecord; folder: string } {
	const folder = temporaryFolder();
	return { record: new TrustRecord(join(folder, 'state/trust/projects.json')), folder };
}
