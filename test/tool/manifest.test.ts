import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonc } from '../../src/config/jsonc.ts';
import { readManifest } from '../../src/tool/manifest.ts';
import { manifestOf } from '../support/tool-folder.ts';

describe('readManifest', () => {
	it('accepts a minimal manifest and one with every key', () => {
		expect(read(manifestOf('a'))).toHaveProperty('manifest.id', 'a');
		const most = {
			runtime: 'python',
			entry: 'src/main.py',
			requiredConfig: ['azdo.token'],
			optionalConfig: [],
			timeoutMs: 1,
			tags: ['x'],
			inputSchema: { type: 'object' },
			outputSchema: {},
			annotations: { readOnlyHint: true },
			env: ['TOKEN'],
			somethingElse: 'is ignored',
		};
		expect(read(manifestOf('a-1-b', most))).toHaveProperty('manifest.timeoutMs', 1);
	});

	it('checks the version first, and reports only it when it is unsupported', () => {
		const { problems } = read(JSON.stringify({ manifestVersion: 2, id: 'NO' }));
		expect(problems).toHaveLength(1);
		expect(problems?.[0]).toMatchObject({ key: 'manifestVersion', found: '2 (a number)' });
		expect(problems?.[0]?.allowed).toContain('1');
	});

	it.each([
		[{ id: 'Hello' }, 'id', '"Hello" (a string)'],
		[{ id: 'a--b' }, 'id', '"a--b" (a string)'],
		[{ id: 'a'.repeat(65) }, 'id', /aaaa/],
		[{ version: '' }, 'version', '"" (a string)'],
		[{ name: 3 }, 'name', '3 (a number)'],
		[{ description: null }, 'description', 'null'],
		[{ runtime: 'ruby', entry: 'x' }, 'runtime', '"ruby" (a string)'],
		[{ runtime: 'node' }, 'entry', 'missing'],
		[{ runtime: 'node', entry: '../x.js' }, 'entry', '"../x.js" (a string)'],
		[{ runtime: 'node', entry: '/etc/passwd' }, 'entry', '"/etc/passwd" (a string)'],
		[{ runtime: 'node', entry: 'a/../../b' }, 'entry', '"a/../../b" (a string)'],
		[{ runtime: 'node', entry: 'x', command: ['y'] }, 'command', 'set, and so is runtime'],
		[{ command: [] }, 'command', '[] (an array)'],
		[{ command: 'sh x' }, 'command', '"sh x" (a string)'],
		[{ command: undefined }, 'runtime', 'missing'],
		[{ timeoutMs: 0 }, 'timeoutMs', '0 (a number)'],
		[{ timeoutMs: 1.5 }, 'timeoutMs', '1.5 (a number)'],
		[{ tags: ['x', 3] }, 'tags', '["x",3] (an array)'],
		[{ inputSchema: { type: 'string' } }, 'inputSchema', '{"type":"string"} (an object)'],
		[{ env: 'TOKEN' }, 'env', '"TOKEN" (a string)'],
	])('refuses %j, naming file, key, found and allowed', (changes, key, found) => {
		const { problems } = read(manifestOf('good', changes));
		expect(problems).toHaveLength(1);
		expect(problems?.[0]).toMatchObject({ file: 'm.json', key });
		expect(problems?.[0]?.found).toMatch(found);
		expect(problems?.[0]?.message).toMatch(new RegExp(`^m\\.json:1: ${key} is .*; allowed: .+`));
	});

	it('reports every wrong key at once', () => {
		expect(read('{"manifestVersion":1}').problems?.map(({ key }) => key)).toEqual([
			'id',
			'version',
			'name',
			'description',
		]);
	});

	it('returns a manifest or problems for any input', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				const { manifest, problems } = read(text);
				expect(manifest === undefined).toBe((problems ?? []).length > 0);
			}),
		);
	});
});

function read(text: string): Partial<{
	manifest: unknown;
	problems: { key: string; found: string; allowed: string; message: string }[];
}> {
	return readManifest(parseJsonc(text, 'm.json'), 'm.json');
}
