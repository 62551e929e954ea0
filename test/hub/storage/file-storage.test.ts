import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { FileStorage } from '../../../src/hub/storage/file-storage.ts';
import type { StorageChange } from '../../../src/hub/storage/storage.ts';
import { CONTENT_LIMIT_BYTES } from '../../../src/hub/storage/storage-limits.ts';
import { bundle } from '../../support/bundle.ts';
import { thrownBy } from '../../support/programs.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('FileStorage', () => {
	it('returns what was written, with its metadata and version', async () => {
		const storage = new FileStorage(temporaryFolder());
		const metadata = { title: 'Login', tags: ['a', 'b'], done: false, size: { points: 3 } };
		expect(await write(storage, 'features/F-1.md', '# Login\n', { metadata })).toBe(1n);
		const found = await storage.read('features/F-1.md');
		expect(textOf(found)).toBe('# Login\n');
		expect(found).toMatchObject({ metadata, version: 1n });
	});

	it('writes a file that a user can read', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'a.md', '# Hi\n', { metadata: { title: 'Hi' } });
		expect(readFileSync(join(storage.root, 'a.md'), 'utf8')).toBe(
			'---\nstorage_version: 1\ntitle: Hi\n---\n# Hi\n',
		);
	});

	it('creates its root at the first write and not before', async () => {
		const workspace = temporaryFolder();
		const storage = new FileStorage(workspace);
		expect(await storage.list()).toEqual([]);
		await thrownBy(() => storage.read('a.md'));
		await thrownBy(() => storage.delete('a.md'));
		expect(readdirSync(workspace)).toEqual([]);
		await write(storage, 'a.md', 'x');
		expect(readdirSync(workspace)).toEqual(['.projects']);
	});

	it('reports a missing file', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'there.md', 'x');
		for (const path of ['a.md', 'no/folder/a.md', 'there.md/a.md']) {
			const error = await thrownBy(() => storage.read(path));
			expect(error).toMatchObject({ code: 'not_found', message: `file not found: ${path}` });
			expect(OrchestraError.is(await thrownBy(() => storage.delete(path)), 'not_found')).toBe(true);
		}
	});

	it('reads an empty file as existing', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'a.md', '');
		expect(textOf(await storage.read('a.md'))).toBe('');
	});

	it('leaves no temporary file beside a file', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'notes/a.md', 'x');
		await write(storage, 'notes/a.md', 'y');
		expect(readdirSync(join(storage.root, 'notes'))).toEqual(['a.md']);
		expect((await storage.list({ pattern: '*' })).map(({ path }) => path)).toEqual(['notes/a.md']);
	});

	it('keeps the permissions of a file that it replaces', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'a.md', 'x');
		const { chmodSync } = await import('node:fs');
		chmodSync(join(storage.root, 'a.md'), 0o640);
		await write(storage, 'a.md', 'y');
		expect(statSync(join(storage.root, 'a.md')).mode & 0o777).toBe(0o640);
	});

	it('refuses content over the limit, and a folder or a pipe in place of a file', async () => {
		const storage = new FileStorage(temporaryFolder());
		mkdirSync(join(storage.root, 'folder.md'), { recursive: true });
		const large = new Uint8Array(CONTENT_LIMIT_BYTES + 1);
		await expect(storage.write({ path: 'a.md', content: large, expectedVersion: -1n })).rejects.toThrow(
			'16777216',
		);
		await expect(write(storage, 'folder.md', 'x')).rejects.toThrow('is not a file');
		await expect(storage.read('folder.md')).rejects.toThrow('is not a file');
		await write(storage, 'a.md', 'x');
		await expect(write(storage, 'a.md/b.md', 'x')).rejects.toThrow('has a file where a folder must be');
	});

	it('emits each change', async () => {
		const storage = new FileStorage(temporaryFolder());
		const changes: StorageChange[] = [];
		const stop = storage.onChange((change) => changes.push(change));
		await write(storage, 'a.md', 'x');
		await write(storage, './a.md', 'y');
		await storage.delete('a.md');
		stop();
		await write(storage, 'a.md', 'z');
		expect(changes.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
			'a.md created',
			'a.md changed',
			'a.md deleted',
		]);
	});
});

describe('versions', () => {
	it('start at 1 and grow by one, for any way of writing', async () => {
		const storage = new FileStorage(temporaryFolder());
		expect(await write(storage, 'a.md', 'x', { expectedVersion: 0n })).toBe(1n);
		expect(await write(storage, 'a.md', 'y', { expectedVersion: 1n })).toBe(2n);
		expect(await write(storage, 'a.md', 'z')).toBe(3n);
		expect((await storage.read('a.md')).version).toBe(3n);
		await storage.delete('a.md');
		expect(await write(storage, 'a.md', 'new', { expectedVersion: 0n })).toBe(1n);
	});

	it('prevent a new file from replacing an existing one', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'a.md', 'first');
		const error = await thrownBy(() => write(storage, 'a.md', 'second', { expectedVersion: 0n }));
		expect(error).toMatchObject({ message: 'file already exists (expected_version=0 means create new)' });
		expect(textOf(await storage.read('a.md'))).toBe('first');
	});

	it('must be current to write, and the error names the current one', async () => {
		const storage = new FileStorage(temporaryFolder());
		await expect(write(storage, 'a.md', 'x', { expectedVersion: 4n })).rejects.toThrow(
			/^version conflict: expected 4, current 0$/,
		);
		await write(storage, 'a.md', 'x');
		await expect(write(storage, 'a.md', 'y', { expectedVersion: 2n })).rejects.toThrow(
			/^version conflict: expected 2, current 1$/,
		);
		await expect(write(storage, 'a.md', 'y', { expectedVersion: -2n })).rejects.toThrow('version -2');
	});

	it('are 1 for a file that was created with an editor', async () => {
		const workspace = writeFiles(temporaryFolder(), { '.projects/a.md': '---\ntitle: Hi\n---\ntext' });
		const storage = new FileStorage(workspace);
		expect(await storage.read('a.md')).toMatchObject({ version: 1n, metadata: { title: 'Hi' } });
		expect(await write(storage, 'a.md', 'more', { expectedVersion: 1n })).toBe(2n);
	});

	it('admit exactly one of many writers with the same version', async () => {
		const storage = new FileStorage(temporaryFolder());
		await write(storage, 'a.md', 'start');
		const tries = Array.from({ length: 20 }, (_, at) =>
			write(storage, 'a.md', `${at}`, { expectedVersion: 1n }),
		);
		const results = await Promise.allSettled(tries);
		expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
		expect((await storage.read('a.md')).version).toBe(2n);
	});

	it('lose no write of three processes', async () => {
		const workspace = temporaryFolder();
		const storage = new FileStorage(workspace);
		await write(storage, 'count.md', '0');
		const others = await Promise.all([1, 2].map(() => writer('count', workspace, 'count.md', 15)));
		const codes = await Promise.all(others.map(async (child) => (await once(child, 'exit'))[0] as number));
		expect(codes).toEqual([0, 0]);
		const { version, ...file } = await storage.read('count.md');
		expect(textOf(file)).toBe('30');
		expect(version).toBe(31n);
	});
});

describe('a writer that is killed', () => {
	const BYTES = 4_000_000;

	it('leaves the old content or the new, never a part', async () => {
		const workspace = temporaryFolder();
		const storage = new FileStorage(workspace);
		for (let halfWay = 0, round = 0; halfWay < 4; round++) {
			expect(round).toBeLessThan(40);
			if (await killDuringWrite(await writer('fill', workspace, 'big.md', BYTES), storage.root)) halfWay++;
			const content = Buffer.from((await storage.read('big.md')).content);
			expect(content.equals(Buffer.alloc(BYTES, content[0]))).toBe(true);
		}
	});

	it('does not block other writers, and its temporary files are removed', async () => {
		const workspace = temporaryFolder();
		const storage = new FileStorage(workspace);
		for (let isLeft = false, round = 0; !isLeft; round++) {
			expect(round).toBeLessThan(40);
			isLeft = await killDuringWrite(await writer('fill', workspace, 'big.md', BYTES), storage.root);
		}
		await write(storage, 'big.md', 'after');
		expect(textOf(await storage.read('big.md'))).toBe('after');
		expect(filesIn(join(storage.root, '.storage'))).toEqual([]);
	});
});

describe('a link', () => {
	it('that leaves the root is refused for reading, writing, deleting and listing', async () => {
		const workspace = writeFiles(temporaryFolder(), { 'secret.md': 'secret', '.projects/a.md': 'a' });
		const storage = new FileStorage(workspace);
		symlinkSync(join(workspace, 'secret.md'), join(storage.root, 'out.md'));
		symlinkSync(workspace, join(storage.root, 'up'));
		for (const path of ['out.md', 'up/secret.md', 'up/new.md', 'up/new/new.md']) {
			await expect(storage.read(path)).rejects.toThrow('leads out of the root');
			await expect(write(storage, path, 'x')).rejects.toThrow('leads out of the root');
			await expect(storage.delete(path)).rejects.toThrow('leads out of the root');
		}
		await expect(storage.list({ prefix: 'up' })).rejects.toThrow('leads out of the root');
		expect((await storage.list({ pattern: '*' })).map(({ path }) => path)).toEqual(['a.md']);
		expect(readdirSync(workspace).sort()).toEqual(['.projects', 'secret.md']);
		expect(readFileSync(join(workspace, 'secret.md'), 'utf8')).toBe('secret');
	});

	it('with a missing target is refused, so that no file is created there', async () => {
		const workspace = writeFiles(temporaryFolder(), { '.projects/a.md': 'a' });
		const storage = new FileStorage(workspace);
		symlinkSync(join(workspace, 'made.md'), join(storage.root, 'link.md'));
		await expect(write(storage, 'link.md', 'x')).rejects.toThrow('leads to nothing');
		await expect(write(storage, 'link.md/x.md', 'x')).rejects.toThrow('leads to nothing');
		expect(existsSync(join(workspace, 'made.md'))).toBe(false);
	});

	it('inside the root works, and both paths of a file share its version', async () => {
		const storage = new FileStorage(writeFiles(temporaryFolder(), { '.projects/real/a.md': 'a' }));
		symlinkSync('real', join(storage.root, 'alias'));
		expect(await write(storage, 'alias/a.md', 'b')).toBe(2n);
		expect(await write(storage, 'alias/new.md', 'c')).toBe(1n);
		expect(await storage.read('real/a.md')).toMatchObject({ version: 2n });
		expect((await storage.list()).map(({ path }) => path)).toEqual(['real/a.md', 'real/new.md']);
	});

	it('may be the root itself', async () => {
		const workspace = temporaryFolder();
		const elsewhere = temporaryFolder();
		symlinkSync(elsewhere, join(workspace, '.projects'));
		const storage = new FileStorage(workspace);
		await write(storage, 'a/b.md', 'x');
		expect(readdirSync(join(elsewhere, 'a'))).toEqual(['b.md']);
		expect(await storage.list()).toHaveLength(1);
	});
});

describe('a list', () => {
	it('has the files of all folders in the order of their paths, with size, version and time', async () => {
		const storage = new FileStorage(temporaryFolder());
		for (const path of ['b.md', 'a/z.md', 'a/deep/er/y.md', 'a.txt']) await write(storage, path, path);
		await write(storage, 'b.md', 'again');
		const at = new Date('2026-01-02T03:04:05Z');
		utimesSync(join(storage.root, 'b.md'), at, at);
		const entries = await storage.list();
		expect(entries.map(({ path }) => path)).toEqual(['a/deep/er/y.md', 'a/z.md', 'b.md']);
		const size = statSync(join(storage.root, 'b.md')).size;
		expect(entries[2]).toEqual({ path: 'b.md', size, version: 2n, modifiedAt: at });
	});

	it('can be limited to a folder, a file or a pattern', async () => {
		const storage = new FileStorage(temporaryFolder());
		for (const path of ['a/1.md', 'a/b/2.md', 'ab/3.md', 'a/4.txt']) await write(storage, path, 'x');
		const paths = async (prefix: string, pattern?: string): Promise<string[]> =>
			(await storage.list({ prefix, pattern })).map(({ path }) => path);
		expect(await paths('a')).toEqual(['a/1.md', 'a/b/2.md']);
		expect(await paths('a/')).toEqual(['a/1.md', 'a/b/2.md']);
		expect(await paths('a/1.md')).toEqual(['a/1.md']);
		expect(await paths('a', '[0-9].t?t')).toEqual(['a/4.txt']);
		expect(await paths('nowhere')).toEqual([]);
		expect(await storage.paths({ prefix: 'a' })).toEqual(await paths('a'));
		await expect(storage.list({ prefix: '../a' })).rejects.toThrow('contains ".."');
	});

	it('has the version after front matter of any size', async () => {
		const storage = new FileStorage(temporaryFolder());
		const body = `---\ntext: ${'x'.repeat(20_000)}\nstorage_version: 12\n---\nbody`;
		writeFiles(storage.root, { 'a.md': body });
		expect((await storage.list())[0]?.version).toBe(12n);
		expect((await storage.read('a.md')).version).toBe(12n);
	});
});

async function write(
	storage: FileStorage,
	path: string,
	text: string,
	more: { metadata?: Record<string, never> | object; expectedVersion?: bigint } = {},
): Promise<bigint> {
	const { metadata = {}, expectedVersion = -1n } = more;
	const request = {
		path,
		content: Buffer.from(text),
		metadata: JSON.parse(JSON.stringify(metadata)),
		expectedVersion,
	};
	return (await storage.write(request)).newVersion;
}

function textOf({ content }: { content: Uint8Array }): string {
	return Buffer.from(content).toString();
}

type Writer = ChildProcessByStdio<null, Readable, null>;

async function writer(role: string, workspace: string, path: string, amount: number): Promise<Writer> {
	const program = await bundle(resolve(import.meta.dirname, '../../fixtures/storage-writer.mjs'));
	const args = [program, role, workspace, path, String(amount)];
	return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Kill a writer that has written before and has begun again. True when its write was cut in the middle. */
async function killDuringWrite(child: Writer, root: string): Promise<boolean> {
	await once(child.stdout, 'data');
	await unfinishedIn(root);
	child.kill('SIGKILL');
	await once(child, 'exit');
	return hasUnfinished(root);
}

async function unfinishedIn(root: string): Promise<void> {
	const giveUpAt = performance.now() + 60_000;
	while (!hasUnfinished(root)) {
		if (performance.now() > giveUpAt) throw new Error('no write was under way');
		await new Promise(setImmediate);
	}
}

function hasUnfinished(root: string): boolean {
	return filesIn(join(root, '.storage')).some((name) => name.endsWith('.unfinished'));
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => name);
}
