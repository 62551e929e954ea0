import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledToolsRoot, discoverTools, readToolAt, toolRoots } from '../../src/tool/discover.ts';
import { spawnRecordOf } from '../../src/tool/tool.ts';
import { thrownBy } from '../support/programs.ts';
import { manifestOf, runToEnd, shellEvent } from '../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const configuration = {
	root: '/project',
	tools: { roots: undefined, examples: undefined, config: {}, timeoutMs: undefined, timeouts: {} },
};

describe('discoverTools', () => {
	it('finds tools at any depth, sorted by id, and skips node_modules, .git and hidden folders', () => {
		const root = writeFiles(temporaryFolder(), {
			'b/manifest.json': manifestOf('b'),
			'x/y/z/manifest.json': manifestOf('a'),
			'node_modules/c/manifest.json': manifestOf('c'),
			'.git/d/manifest.json': manifestOf('d'),
			'.hidden/e/manifest.json': manifestOf('e'),
		});
		const { tools, problems } = discoverTools([root]);
		expect(tools.map(({ id }) => id)).toEqual(['a', 'b']);
		expect(problems).toEqual([]);
	});

	it.skipIf(process.platform === 'win32')(
		'reports a manifest that is a named pipe or a device, and finds the other tools',
		() => {
			const root = writeFiles(temporaryFolder(), {
				'good/manifest.json': manifestOf('good'),
				'pipe/x': '',
				'device/x': '',
			});
			execFileSync('mkfifo', [join(root, 'pipe/manifest.json'), join(root, 'script.sh')]);
			symlinkSync('/dev/zero', join(root, 'device/manifest.json'));
			symlinkSync('/dev/zero', join(root, 'zero.sh'));
			const { tools, problems } = discoverTools([root]);
			expect(tools.map(({ id }) => id)).toEqual(['good']);
			expect(problems.map(({ message }) => message)).toEqual([
				expect.stringContaining('is a device'),
				expect.stringContaining('is a named pipe'),
			]);
		},
	);

	it('refuses a manifest of more than a megabyte', () => {
		const root = writeFiles(temporaryFolder(), { 'big/manifest.json': ' '.repeat(1024 * 1024 + 1) });
		expect(discoverTools([root]).problems[0]?.message).toContain('larger than');
	});

	it.skipIf(process.platform === 'win32')('terminates in a folder with cyclic links', () => {
		const root = writeFiles(temporaryFolder(), { 'good/manifest.json': manifestOf('good') });
		symlinkSync(root, join(root, 'again'));
		symlinkSync(join(root, 'b'), join(root, 'a'));
		symlinkSync(join(root, 'a'), join(root, 'b'));
		expect(discoverTools([root]).tools.map(({ id }) => id)).toEqual(['good']);
	});

	it('scans a bounded number of files and folders below a root, and reports the cut', () => {
		const files = {
			'a/manifest.json': manifestOf('a'),
			'b/manifest.json': manifestOf('b'),
			'1.txt': '',
			'2.txt': '',
		};
		const root = writeFiles(temporaryFolder(), files);
		const { tools, problems } = discoverTools([root], { files: 1, folders: 1 });
		expect(tools.map(({ id }) => id)).toEqual(['a']);
		expect(problems.map(({ message }) => message)).toEqual([
			`${root} has more than 1 file; the rest was not searched`,
			`${root} has more than 1 folder; the rest was not searched`,
		]);
	});

	it('treats a missing root as empty', () => {
		expect(discoverTools([join(temporaryFolder(), 'nowhere')])).toEqual({ tools: [], problems: [] });
	});

	it('reports four invalid manifests, and the valid tool beside them runs', async () => {
		const root = writeFiles(temporaryFolder(), {
			'one/manifest.json': '{ not json',
			'two/manifest.json': '{"manifestVersion":3}',
			'three/manifest.json': manifestOf('three', { id: 'Three!' }),
			'four/manifest.json': manifestOf('four', { runtime: 'node', entry: 'gone.js' }),
			'good/manifest.json': manifestOf('good'),
			'good/main.sh': `${shellEvent('good')}\nevent started '{}'; event result '{"ok":true}'`,
		});
		const { tools, problems } = discoverTools([root]);
		expect(new Set(problems.map(({ file }) => file.split('/').at(-2)))).toEqual(
			new Set(['four', 'one', 'three', 'two']),
		);
		expect(problems).toHaveLength(4);
		const [tool] = tools;
		if (!tool) throw new Error('the good tool was not found');
		expect((await runToEnd(tool)).summary).toMatchObject({ outcome: 'ok', result: { ok: true } });
	});

	it('keeps the tool of the first root when two have the same id, and reports the second', () => {
		const roots = ['first', 'second'].map((name) =>
			writeFiles(temporaryFolder(), { 'x/manifest.json': manifestOf('same', { name }) }),
		);
		const { tools, problems } = discoverTools(roots);
		expect(tools.map(({ name }) => name)).toEqual(['first']);
		expect(problems).toHaveLength(1);
		expect(problems[0]?.message).toContain(`${tools[0]?.file} has already`);
	});

	it('refuses an entry that is a link out of the folder', () => {
		const outside = writeFiles(temporaryFolder(), { 'evil.js': '' });
		const root = writeFiles(temporaryFolder(), {
			'x/manifest.json': manifestOf('x', { runtime: 'node', entry: 'main.js' }),
		});
		symlinkSync(join(outside, 'evil.js'), join(root, 'x/main.js'));
		expect(discoverTools([root]).problems[0]?.found).toContain('leads out of it');
	});

	it('does not follow a cycle of linked folders', () => {
		const root = writeFiles(temporaryFolder(), { 'x/manifest.json': manifestOf('x') });
		symlinkSync(root, join(root, 'loop'));
		expect(discoverTools([root]).tools).toHaveLength(1);
	});
});

describe('a tool in a single file', () => {
	it('is found by its header, named after its file, and runs', async () => {
		const root = writeFiles(temporaryFolder(), {
			'say_hi.sh': `#!/bin/sh\n# mctl: {"description": "Says hi"}\n${shellEvent('say-hi')}\nevent result '{"hi":1}'`,
			'notes.txt': 'nothing about tools here',
		});
		const { tools, problems } = discoverTools([root]);
		expect(problems).toEqual([]);
		expect(tools[0]).toMatchObject({ id: 'say-hi', description: 'Says hi', runsOn: 'sh', version: '0.0.0' });
		if (!tools[0]) throw new Error('the file was not found');
		expect((await runToEnd(tools[0])).summary.result).toEqual({ hi: 1 });
	});

	it('may have a header of several lines, in line or block comments', () => {
		const root = writeFiles(temporaryFolder(), {
			'x.go':
				'// mctl: {"id": "gopher",\n//   mctl:   "description": "x", "command": ["go", "run", "x.go"]}\npackage main',
		});
		expect(discoverTools([root]).tools[0]).toMatchObject({ id: 'gopher', runsOn: 'go' });
	});

	it.each([
		['no x bit', '# mctl: {"description":"x"}', 'chmod +x'],
		['broken JSON', '#!/bin/sh\n# mctl: {"description":', ':'],
		['no description', '#!/bin/sh\n# mctl: {}', 'description is missing'],
	])('with %s is reported', (_, text, words) => {
		const root = writeFiles(temporaryFolder(), { 'x.sh': text });
		const { tools, problems } = discoverTools([root]);
		expect(tools).toEqual([]);
		expect(problems[0]?.message).toContain(words);
	});
});

describe('toolRoots', () => {
	it('are those of the variable, else of the configuration, else ./tools', () => {
		const named = { ...configuration, tools: { ...configuration.tools, roots: ['/a'] } };
		const variable = { M_CONTROL_TOOLS_ROOT: ['/x', 'y'].join(delimiter) };
		expect(toolRoots(named, variable, '/here')).toEqual(['/x', '/here/y']);
		expect(toolRoots(named, {}, '/here')).toEqual(['/a']);
		expect(toolRoots(configuration, {}, '/here')).toEqual(['/project/tools']);
	});

	it('have the bundled examples last when the configuration wants them', () => {
		const wanted = { ...configuration, tools: { ...configuration.tools, examples: true } };
		expect(toolRoots(wanted, {}, '/here')).toEqual(['/project/tools', bundledToolsRoot]);
	});
});

describe('readToolAt', () => {
	it('reports a manifest that is not a regular file without blocking on it', async () => {
		const folder = temporaryFolder();
		execFileSync('mkfifo', [join(folder, 'manifest.json')]);
		const error = await thrownBy(() => readToolAt(folder));
		expect(String(error)).toContain('manifest.json is not a regular file');
	});

	it('names the problem of an invalid path', async () => {
		const folder = temporaryFolder();
		expect(await thrownBy(() => readToolAt(folder))).toMatchObject({ code: 'not_found' });
		writeFiles(folder, { 'manifest.json': '{"manifestVersion":1}', 'plain.txt': 'x' });
		expect(await thrownBy(() => readToolAt(folder))).toMatchObject({ code: 'bad_input' });
		expect(await thrownBy(() => readToolAt(join(folder, 'plain.txt')))).toMatchObject({ code: 'bad_input' });
	});
});

describe('spawnRecordOf', () => {
	it.each([
		[{ runtime: 'node', entry: 'a.js' }, process.execPath, ['/t/a.js']],
		[{ runtime: 'python', entry: 'a.py' }, 'python3', ['/t/a.py']],
		[
			{ runtime: 'powershell', entry: 'a.ps1' },
			'pwsh',
			['-NoProfile', '-NonInteractive', '-File', '/t/a.ps1'],
		],
		[{ runtime: 'dotnet', entry: 'a.dll' }, 'dotnet', ['/t/a.dll']],
		[{ runtime: 'dotnet', entry: 'bin/a' }, '/t/bin/a', []],
		[{ command: ['go', 'run', '.'] }, 'go', ['run', '.']],
		[{ command: ['./run', 'x'] }, '/t/run', ['x']],
	])('starts %j', (start, command, args) => {
		const manifest = { ...JSON.parse(manifestOf('x')), command: undefined, ...start };
		const tool = { ...manifest, folder: '/t', file: '/t/manifest.json', runsOn: '' };
		expect(spawnRecordOf(tool, {})).toMatchObject({ command, args, cwd: '/t', env: {} });
	});

	it('passes only the variables that the manifest names', () => {
		const tool = {
			...JSON.parse(manifestOf('x')),
			env: ['A', 'MISSING'],
			folder: '/t',
			file: '',
			runsOn: '',
		};
		expect(spawnRecordOf(tool, { A: '1', B: '2' }).env).toEqual({ A: '1' });
	});
});
