import { describe, expect, it } from 'vitest';
import { StorageSource } from '../../../src/hub/sources/storage-source.ts';
import { FileStorage } from '../../../src/hub/storage/file-storage.ts';
import type { Change } from '../../../src/mcp/server/provider.ts';
import { rpcErrorOf } from '../../../src/rpc/rpc-error.ts';
import { thrownBy } from '../../support/programs.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('the storage as resources', () => {
	it('lists the files of the shared folders and no others', async () => {
		const source = sourceWith({
			'notes/a.md': 'a',
			'notes/plans/to day.md': 'b',
			'docs/x.md': 'x',
			'features/F-1.md': 'f',
			'other/y.md': 'y',
			'z.md': 'z',
			'notes/picture.png': 'p',
		});
		expect(await source.list('resources')).toEqual([
			{ uri: 'orchestra://docs/x', name: 'x', mimeType: 'text/markdown' },
			{ uri: 'orchestra://features/F-1', name: 'F-1', mimeType: 'text/markdown' },
			{ uri: 'orchestra://notes/a', name: 'a', mimeType: 'text/markdown' },
			{ uri: 'orchestra://notes/plans/to%20day', name: 'plans/to day', mimeType: 'text/markdown' },
		]);
	});

	it('is empty, without an error, in a workspace without storage', async () => {
		expect(await sourceWith({}).list('resources')).toEqual([]);
	});

	it('has one template for each folder', async () => {
		const templates = await sourceWith({}).list('templates');
		expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
			'orchestra://docs/{id}',
			'orchestra://features/{id}',
			'orchestra://notes/{id}',
		]);
	});

	it('reads everything that it lists, and nested ids in either spelling', async () => {
		const source = sourceWith({ 'notes/a é?.md': 'one', 'notes/plans/b.md': 'two' });
		for (const { uri } of await source.list('resources')) expect(source.ownsUri(String(uri))).toBe(true);
		expect(await textAt(source, 'orchestra://notes/a%20%C3%A9%3F')).toBe('one');
		expect(await textAt(source, 'orchestra://notes/plans/b')).toBe('two');
		expect(await textAt(source, 'orchestra://notes/plans%2Fb')).toBe('two');
	});

	it('returns the content without its front matter, with metadata and version', async () => {
		const source = sourceWith({
			'features/F-1.md': '---\nstorage_version: 3\nstatus: done\n---\n# Login\n',
		});
		expect(await source.read('orchestra://features/F-1')).toEqual({
			contents: [
				{
					uri: 'orchestra://features/F-1',
					mimeType: 'text/markdown',
					text: '# Login\n',
					_meta: { 'orchestra/version': 3, 'orchestra/metadata': { status: 'done' } },
				},
			],
		});
	});

	it('returns bytes that are not UTF-8 as a blob', async () => {
		const source = sourceWith({ 'docs/x.md': Uint8Array.of(0xff, 0xfe) });
		expect(await source.read('orchestra://docs/x')).toMatchObject({ contents: [{ blob: '//4=' }] });
	});

	it.each([
		'orchestra://notes/missing',
		'orchestra://notes/%zz',
		'orchestra://notes/',
		'orchestra://elsewhere/a',
		'orchestra://notes/a?b=c',
	])('reports that %s is not found', async (uri) => {
		const source = sourceWith({ 'notes/a.md': 'a', 'elsewhere/a.md': 'a' });
		const error = rpcErrorOf(await thrownBy(() => source.read(uri)));
		expect(error).toMatchObject({ code: -32602, message: `Resource not found: ${uri}` });
	});

	it.each(['orchestra://notes/../secret', 'orchestra://notes/..%2f..%2Fsecret', 'orchestra://notes/%00'])(
		'never reads outside the root with %s',
		async (uri) => {
			const source = sourceWith({ '../secret.md': 'secret', 'secret.md': 'secret', 'notes/a.md': 'a' });
			await expect(source.read(uri)).rejects.toThrow(/Resource not found/);
		},
	);

	it('notifies when a resource is created, changed and deleted', async () => {
		const storage = new FileStorage(temporaryFolder());
		const source = new StorageSource(async () => storage);
		const changes: Change[] = [];
		source.watch((change) => changes.push(change));
		await source.list('resources');
		const write = (path: string) => storage.write({ path, content: Buffer.from('x'), expectedVersion: -1n });
		await write('notes/a.md');
		await write('other/a.md');
		await write('notes/a.md');
		await storage.delete('notes/a.md');
		const resource = { kind: 'resource', uri: 'orchestra://notes/a' };
		const list = { kind: 'resources' };
		expect(changes).toEqual([resource, list, resource, resource, list]);
	});
});

function sourceWith(files: Record<string, string | Uint8Array>): StorageSource {
	const storage = new FileStorage(temporaryFolder());
	writeFiles(storage.root, files);
	return new StorageSource(async () => storage);
}

async function textAt(source: StorageSource, uri: string): Promise<unknown> {
	return (await source.read(uri)).contents[0]?.['text'];
}
