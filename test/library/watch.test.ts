import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { affects, type LibraryChange } from '../../src/library/change.ts';
import { changeAfter, withLibrary } from '../support/library-folder.ts';

const files = { 'resources/guides/retry.md': '# Retry\n', 'prompts/hello.md': 'Hello' };
const watching = { watch: true };

describe('a watched library', () => {
	it('serves a changed file and reports the change', () =>
		withLibrary(
			files,
			async (library, folder) => {
				const change = await changeAfter(library, () =>
					folder.write('resources/guides/retry.md', '# Quorum\n'),
				);
				expect(change.resources).toEqual({ added: [], changed: ['orchestr8://guides/retry'], removed: [] });
				expect((await library.readResource('orchestr8://guides/retry')).contents[0]?.text).toBe('# Quorum\n');
				expect((await library.find('quorum')).total).toBe(1);
				expect((await library.find('retry', { mode: 'index' })).matches[0]?.fragment.title).toBe('Quorum');
			},
			watching,
		));

	it('finds new files in new folders at any depth', () =>
		withLibrary(
			files,
			async (library, folder) => {
				const change = await changeAfter(library, () => folder.write('resources/new/a/b/c.md', '# Deep'));
				expect(change.resources.added).toEqual(['orchestr8://new/a/b/c']);
				const later = await changeAfter(library, () => folder.write('resources/new/a/b/d.md', '# Deeper'));
				expect(later.resources.added).toEqual(['orchestr8://new/a/b/d']);
			},
			watching,
		));

	it('removes deleted files and folders', () =>
		withLibrary(
			{ ...files, 'resources/guides/x/y.md': '# Y' },
			async (library, folder) => {
				const change = await changeAfter(library, () =>
					rmSync(folder.at('resources/guides'), { recursive: true }),
				);
				const gone = [...change.resources.removed];
				if (gone.length < 2) gone.push(...(await changeAfter(library, () => {})).resources.removed);
				expect(gone.sort()).toEqual(['orchestr8://guides/retry', 'orchestr8://guides/x/y']);
				expect((await library.find('retry')).total).toBe(0);
			},
			watching,
		));

	it('serves a file that an editor saved by rename', () =>
		withLibrary(
			files,
			async (library, folder) => {
				folder.write('outside.md', '# Saved by renaming');
				const save = () => renameSync(folder.at('outside.md'), folder.at('resources/guides/retry.md'));
				expect((await changeAfter(library, save)).resources.changed).toEqual(['orchestr8://guides/retry']);
			},
			watching,
		));

	it('reports changes of prompts and resources separately', () =>
		withLibrary(
			files,
			async (library, folder) => {
				const change = await changeAfter(library, () => folder.write('prompts/bye.md', 'Bye'));
				expect(change).toEqual({
					prompts: { added: ['bye'], changed: [], removed: [] },
					resources: { added: [], changed: [], removed: [] },
				});
			},
			watching,
		));

	it('debounces a burst into one notification', () =>
		withLibrary(
			files,
			async (library, folder) => {
				const burst = () => {
					for (let at = 0; at < 20; at++) folder.write(`resources/guides/f${at}.md`, `# F${at}`);
				};
				expect((await changeAfter(library, burst)).resources.added).toHaveLength(20);
			},
			watching,
		));

	it('loads a folder that is created later, or deleted and created again', () =>
		withLibrary(
			{},
			async (library, folder) => {
				await changeAfter(library, () => {
					mkdirSync(folder.at('resources'));
					folder.write('resources/a/x.md', '# X');
				});
				expect((await library.find('x')).total).toBe(1);
				await changeAfter(library, () => rmSync(folder.at('resources'), { recursive: true }));
				await changeAfter(library, () => folder.write('resources/a/y.md', '# Y1'));
				expect((await library.find('y1')).total).toBe(1);
			},
			watching,
		));

	it('serves the other file of a URI when the first is deleted', () =>
		withLibrary(
			{ 'resources/a/x.md': '# Markdown', 'resources/a/x.json': '{"title":"Json"}' },
			async (library, folder) => {
				const change = await changeAfter(library, () => rmSync(folder.at('resources/a/x.md')));
				expect(change.resources.changed).toEqual(['orchestr8://a/x']);
				expect((await library.readResource('orchestr8://a/x')).contents[0]?.mimeType).toBe(
					'application/json',
				);
			},
			watching,
		));

	it('sends no notification after close', () =>
		withLibrary(
			files,
			async (library, folder) => {
				const changes: LibraryChange[] = [];
				library.onChange((change) => changes.push(change));
				await library.ready();
				await library.close();
				folder.write('resources/guides/retry.md', '# Later');
				expect(changes).toEqual([]);
			},
			watching,
		));
});

describe('affects', () => {
	const change: LibraryChange = {
		resources: { added: [], changed: ['orchestr8://guides/retry'], removed: [] },
		prompts: { added: [], changed: [], removed: [] },
	};

	it.each([
		['orchestr8://guides/retry', true],
		['orchestr8://guides', true],
		['orchestr8://registry', true],
		['orchestr8://match?query=x', true],
		['orchestr8://guides/match?query=x', true],
		['orchestr8://patterns/match?query=x', false],
		['orchestr8://patterns', false],
		['orchestr8://guides/other', false],
		['other://x', false],
	])('a change of a guide changes %s: %s', (uri, expected) => {
		expect(affects(change, uri)).toBe(expected);
	});

	it('a change of prompts changes no resource', () => {
		expect(
			affects({ ...change, resources: { added: [], changed: [], removed: [] } }, 'orchestr8://registry'),
		).toBe(false);
	});
});
