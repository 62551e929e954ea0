import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FOLDER_DEPTH } from '../../src/files/files-limits.ts';
import { Library } from '../../src/library/library.ts';
import { LibraryFolder, LogLines } from '../support/library-folder.ts';

const good = { 'resources/guides/good.md': '# Good\n' };

describe('a hostile file gives one warning and hides no other file', () => {
	it.each<[string, (folder: LibraryFolder) => void, RegExp]>([
		[
			'a file of 100 MB',
			(folder) => {
				folder.write('resources/guides/huge.md', '# Huge');
				truncateSync(folder.at('resources/guides/huge.md'), 100 * 1024 * 1024);
			},
			/^resources\/guides\/huge\.md: has 104857600 bytes, more than the 4194304 allowed, and is left out$/,
		],
		[
			'10,000 tags',
			(folder) =>
				folder.write(
					'resources/guides/tags.md',
					`---\ntags: [${Array.from({ length: 10_000 }, (_, at) => `t${at}`).join(', ')}]\n---\n# T`,
				),
			/^resources\/guides\/tags\.md: tags has 10000 entries, the first 200 are kept$/,
		],
		[
			'bytes that are not UTF-8',
			(folder) => folder.write('resources/guides/bytes.md', Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x80])),
			/^resources\/guides\/bytes\.md: is not valid UTF-8/,
		],
		[
			'front matter nested 3,000 deep',
			(folder) => folder.write('resources/guides/deep.md', `---\na: ${'['.repeat(3_000)}\n---\n# D`),
			/^resources\/guides\/deep\.md: front matter is not valid YAML: nested deeper than 64 levels$/,
		],
		[
			'JSON nested 100,000 deep',
			(folder) => folder.write('resources/guides/deep.json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
			/^resources\/guides\/deep\.json: not valid JSON: nested deeper than 64 levels$/,
		],
		[
			'broken YAML',
			(folder) => folder.write('resources/guides/yaml.md', '---\ntitle: "open\n---\n# Y'),
			/^resources\/guides\/yaml\.md: front matter is not valid YAML: /,
		],
		[
			'broken JSON',
			(folder) => folder.write('resources/guides/x.json', '{"a":'),
			/^resources\/guides\/x\.json: not valid JSON: /,
		],
		[
			'a link out of the library',
			(folder) => {
				folder.write('secret.md', '# Secret');
				symlinkSync(folder.at('secret.md'), folder.at('resources/guides/link.md'));
			},
			/^resources\/guides\/link\.md: is a link that leads out of the library or nowhere/,
		],
		[
			'a linked folder out of the library',
			(folder) => symlinkSync('/etc', folder.at('resources/etc')),
			/^resources\/etc: is a link that leads out of the library/,
		],
		[
			'a link to nowhere',
			(folder) => symlinkSync('nowhere.md', folder.at('resources/guides/dangling.md')),
			/^resources\/guides\/dangling\.md: is a link that leads out of the library or nowhere/,
		],
		[
			'a circle of folders',
			(folder) => symlinkSync('..', folder.at('resources/guides/loop')),
			/^resources\/guides\/loop: is a link to a folder that contains it$/,
		],
		[
			'two links to each other',
			(folder) => {
				symlinkSync('b.md', folder.at('resources/guides/a.md'));
			},
			/^resources\/guides\/a\.md: is a link/,
		],
		[
			'folders without end',
			(folder) =>
				mkdirSync(folder.at(`resources/guides/${'d/'.repeat(FOLDER_DEPTH + 3)}`), { recursive: true }),
			/: is more than 64 folders deep$/,
		],
		[
			'a file outside of the categories',
			(folder) => folder.write('resources/loose.md', '# L'),
			/^resources\/loose\.md: is not in a category folder/,
		],
	])('%s', async (_, spoil, warning) => {
		const folder = new LibraryFolder(good);
		spoil(folder);
		const log = new LogLines();
		const library = Library.open({ resources: folder.at('resources'), log: log.log });
		const uris = (await library.listResources()).map(({ uri }) => uri);
		expect(uris).toContain('orchestr8://guides/good');
		expect(uris.filter((uri) => /secret|passwd|link|loop/.test(uri))).toEqual([]);
		expect(log.warnings).toEqual([expect.stringMatching(warning)]);
		expect(log.warnings.join()).not.toContain(folder.path);
		await library.close();
	});

	it('a file without read permission is left out', async ({ skip }) => {
		if (process.getuid?.() === 0) skip('root may read everything');
		const folder = new LibraryFolder({ ...good, 'resources/guides/closed.md': '# C' });
		chmodSync(folder.at('resources/guides/closed.md'), 0);
		const log = new LogLines();
		const library = Library.open({ resources: folder.at('resources'), log: log.log });
		await library.ready();
		expect(log.warnings).toEqual(['resources/guides/closed.md: cannot be read (EACCES)']);
		await library.close();
	});

	it('a named pipe is named in the warning, left out, and blocks nothing', async ({ skip }) => {
		if (process.platform === 'win32') skip('no named pipes in folders');
		const folder = new LibraryFolder(good);
		execFileSync('sh', ['-c', 'mkfifo "$0"', folder.at('resources/guides/pipe.md')]);
		const log = new LogLines();
		const library = Library.open({ resources: folder.at('resources'), log: log.log });
		expect((await library.listResources()).map(({ uri }) => uri)).not.toContain('orchestr8://guides/pipe');
		expect(log.warnings).toEqual([
			'resources/guides/pipe.md: is a pipe, a socket or a device, and is left out',
		]);
		await library.close();
	});

	it('a name with a line break and an escape sequence is escaped in one log line', async () => {
		const folder = new LibraryFolder({ ...good, 'resources/guides/a\n\u001b[31mb.json': '{"a":' });
		const log = new LogLines();
		const library = Library.open({ resources: folder.at('resources'), log: log.log });
		await library.ready();
		expect(log.warnings).toHaveLength(1);
		expect(log.warnings[0]).not.toMatch(/\p{Cc}/u);
		await library.close();
	});

	it.each(['[', ' ', '\n', '\u0301', '\uFDFA', '${a}'])(
		'four megabytes of %j are served whole and found by their head',
		async (unit) => {
			const text = `# Tall ${unit.repeat(Math.floor(3_900_000 / Buffer.byteLength(unit)))}b`;
			const folder = new LibraryFolder({ 'resources/guides/big.md': text, 'prompts/big.md': text });
			const library = Library.open({ resources: folder.at('resources'), prompts: folder.at('prompts') });
			expect((await library.readResource('orchestr8://guides/big')).contents[0]?.text).toBe(text);
			expect((await library.find('tall')).matches).toHaveLength(1);
			expect(await library.listPrompts()).toHaveLength(1);
			await library.close();
		},
		60_000,
	);

	it('a link inside the folder is followed', async () => {
		const folder = new LibraryFolder(good);
		symlinkSync('guides', folder.at('resources/also'));
		const library = Library.open({ resources: folder.at('resources') });
		expect((await library.readResource('orchestr8://also/good')).contents[0]?.text).toBe('# Good\n');
		await library.close();
	});

	it('a file that is replaced by a link out of the folder is no longer served', async () => {
		const folder = new LibraryFolder({ ...good, 'secret.md': '# Secret' });
		const library = Library.open({ resources: folder.at('resources') });
		await library.ready();
		execFileSync('ln', ['-sf', folder.at('secret.md'), folder.at('resources/guides/good.md')]);
		await expect(library.readResource('orchestr8://guides/good')).rejects.toMatchObject({
			code: 'not_found',
		});
		await library.close();
	});

	it('names with spaces, percent signs and accents are served under encoded URIs', async () => {
		const names = ['a b', '100%', 'café', 'x#y?z', 'ünï'];
		const files = Object.fromEntries(names.map((name) => [`resources/guides/${name}.md`, `# ${name}`]));
		const folder = new LibraryFolder(files);
		const library = Library.open({ resources: folder.at('resources') });
		const uris = (await library.listResources())
			.map(({ uri }) => uri)
			.filter((uri) => uri.includes('guides/'));
		expect(uris).toHaveLength(names.length);
		for (const uri of uris) expect((await library.readResource(uri)).contents).toHaveLength(1);
		await library.close();
	});
});
