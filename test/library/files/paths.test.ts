import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveLibraryPaths, starterLibrary } from '../../../src/library/files/paths.ts';
import { Library } from '../../../src/library/library.ts';
import { LibraryFolder, LogLines } from '../../support/library-folder.ts';

describe('resolveLibraryPaths', () => {
	const environment = { PROMPTS_PATH: 'env-prompts', RESOURCES_PATH: tmpdir() };

	it('prefers flags to the environment, and the environment to the configuration', () => {
		const workingFolder = '/work';
		const configured = { prompts: '/configured/prompts', resources: '/configured/resources' };
		const flags = { prompts: 'flag-prompts' };
		expect(resolveLibraryPaths({ flags, environment, configured, workingFolder })).toEqual({
			prompts: join('/work', 'flag-prompts'),
			resources: tmpdir(),
		});
		expect(resolveLibraryPaths({ environment: {}, configured, workingFolder })).toEqual(configured);
		expect(resolveLibraryPaths({ environment: { PROMPTS_PATH: '' }, configured, workingFolder })).toEqual(
			configured,
		);
	});

	it.each(['PROMPTS_PATH', 'RESOURCES_PATH'])('refuses a %s that is not a folder', (variable) => {
		const named = { [variable]: 'nowhere' };
		expect(() => resolveLibraryPaths({ environment: named, workingFolder: '/work' })).toThrow(
			`${variable} names ${join('/work', 'nowhere')}, and there is no such folder`,
		);
	});

	it('uses ./prompts or ./resources for the one that is not named', () => {
		const folder = new LibraryFolder({ 'prompts/x.md': 'X' });
		const named = { RESOURCES_PATH: tmpdir() };
		expect(resolveLibraryPaths({ environment: named, workingFolder: folder.path })).toEqual({
			prompts: folder.at('prompts'),
			resources: tmpdir(),
		});
		expect(resolveLibraryPaths({ environment: named, workingFolder: '/' }).prompts).toBeUndefined();
	});

	it('uses the folders of the working folder, else the starter library', () => {
		const folder = new LibraryFolder({ 'resources/a/x.md': '# X' });
		expect(resolveLibraryPaths({ environment: {}, workingFolder: folder.path })).toEqual({
			prompts: folder.at('prompts'),
			resources: folder.at('resources'),
		});
		expect(resolveLibraryPaths({ environment: {}, workingFolder: '/' })).toEqual(starterLibrary());
	});
});

describe('the starter library', () => {
	it('loads without a warning, and has about thirty fragments and several prompts', async () => {
		const paths = starterLibrary();
		expect(existsSync(paths.resources)).toBe(true);
		const log = new LogLines();
		const library = Library.open({ ...paths, log: log.log });
		expect((await library.listResources()).length).toBeGreaterThan(30);
		expect((await library.listPrompts()).length).toBeGreaterThanOrEqual(6);
		expect(log.warnings).toEqual([]);
		await library.close();
	});

	it.each([
		['my server writes something to stdout that breaks the client', 'orchestr8://guides/stdout-is-sacred'],
		['how do I write a tool', 'orchestr8://guides/first-tool'],
		['child process does not stop', 'orchestr8://patterns/stop-ladder'],
	])('answers "%s"', async (question, uri) => {
		const library = Library.open(starterLibrary());
		const { matches } = await library.find(question, { maxResults: 3 });
		expect(matches.map(({ fragment }) => fragment.uri)).toContain(uri);
		await library.close();
	});
});
