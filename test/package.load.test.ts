/* The package as its users get it: packed, installed elsewhere, imported by every subpath. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/workspace.ts';

const root = resolve(import.meta.dirname, '..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const subpaths = Object.keys(exports).filter((path) => path !== './package.json');
const bare = temporaryFolder();
const consumer = temporaryFolder();

let packed: string[] = [];

beforeAll(() => {
	// Without scripts: other tests are using the build.
	const pack = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', bare];
	const [{ filename, files }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
	packed = files.map(({ path }: { path: string }) => path);
	const home = join(bare, 'node_modules', 'orchestra-hub');
	mkdirSync(home, { recursive: true });
	execFileSync('tar', ['-xzf', join(bare, filename), '-C', home, '--strip-components', '1']);
	for (const folder of [bare, consumer])
		writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
	const install = [
		'install',
		'--prefer-offline',
		'--no-audit',
		'--no-fund',
		'--silent',
		join(bare, filename),
	];
	execFileSync('npm', install, { cwd: consumer, stdio: 'pipe' });
});

describe('the packed package', () => {
	it('installs its manual page when it is installed for every folder', () => {
		const prefix = temporaryFolder();
		const [archive = ''] = readdirSync(bare).filter((name) => name.endsWith('.tgz'));
		const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--silent', '--prefix', prefix];
		execFileSync('npm', ['install', '--global', ...flags, join(bare, archive)], { stdio: 'pipe' });
		expect(readdirSync(join(prefix, 'share', 'man', 'man1'))).toEqual(['mctl.1']);
	});

	it.each(subpaths)('is imported by plain JavaScript as %s', (subpath) => {
		const script = `const all = await import(${JSON.stringify(specifier(subpath))}); console.log(Object.keys(all).length)`;
		expect(Number(runNode(consumer, ['--input-type=module', '-e', script]))).toBeGreaterThan(0);
	});

	it('type-checks in a strict TypeScript project, by every subpath and in every example', () => {
		const imports = subpaths.map((subpath, index) => `import * as m${index} from '${specifier(subpath)}';`);
		const all = `export const all = [${subpaths.map((_, index) => `m${index}`).join(', ')}];`;
		const use = `import { connect } from 'orchestra-hub/stdio';\nexport const echo: Promise<unknown> = connect('stdio:cat').then((c) => c.recv());`;
		writeFileSync(join(consumer, 'use.ts'), [...imports, all, use].join('\n'));
		cpSync(join(consumer, 'node_modules/orchestra-hub/examples/api'), join(consumer, 'examples'), {
			recursive: true,
		});
		mkdirSync(join(consumer, 'node_modules/@modelcontextprotocol'));
		const sdk = '@modelcontextprotocol/sdk';
		symlinkSync(join(root, 'node_modules', sdk), join(consumer, 'node_modules', sdk));
		const typeRoots = [join(root, 'node_modules/@types')];
		const compilerOptions = {
			strict: true,
			module: 'nodenext',
			declaration: true,
			outDir: 'compiled',
			target: 'es2023',
			types: ['node'],
			typeRoots,
		};
		writeFileSync(
			join(consumer, 'tsconfig.json'),
			JSON.stringify({ compilerOptions, include: ['use.ts', 'examples'] }),
		);
		execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', consumer], { stdio: 'pipe' });
	});

	it.each(['orchestra-hub/stdio', 'orchestra-hub/tool', 'orchestra-hub/sdk'])(
		'needs no third-party code for %s',
		(name) => {
			const script = `await import('${name}'); console.log('fine')`;
			expect(runNode(bare, ['--input-type=module', '-e', script])).toBe('fine\n');
		},
	);

	it('finds by meaning, with the word vectors that it ships', () => {
		const script = `import { Library, starterLibrary } from 'orchestra-hub';
			const library = Library.open(starterLibrary());
			const { matches } = await library.find('the program keeps dying');
			console.log(matches.flatMap(({ why }) => why.map(({ kind }) => kind)).includes('meaning'));
			await library.close();`;
		expect(runNode(consumer, ['--input-type=module', '-e', script])).toBe('true\n');
	});

	it('writes a server that runs: mctl new server', () => {
		const elsewhere = temporaryFolder();
		const env = { ...process.env, HOME: elsewhere };
		const bin = join(consumer, 'node_modules/.bin/mctl');
		const run = (...words: string[]) => execFileSync(bin, words, { cwd: elsewhere, env, encoding: 'utf8' });
		expect(run('new', 'server', 'greeter')).toContain('greeter/server.mjs');
		expect(run('call', 'stdio:node greeter/server.mjs', 'greet', 'name=you')).toBe('Hello, you!\n');
	});

	it('contains the page of the dashboard', () => {
		for (const name of ['index.html', 'app.js', 'app.css', 'icon.svg'])
			expect(packed).toContain(`dist/dashboard/page/${name}`);
	});

	it('contains every document that the code names', () => {
		const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
		const named = sources
			.filter((file) => file.endsWith('.ts'))
			.flatMap((file) => [
				...readFileSync(join(root, 'src', file), 'utf8').matchAll(/(?<!:\/\/)\bdocs\/[\w-]+(?:[/.][\w-]+)*/g),
			])
			.map(([path]) => path);
		expect(named).toContain('docs/tools.md');
		expect(named.filter((path) => !packed.some((file) => file.startsWith(path)))).toEqual([]);
	});

	it('writes plugins that need no registry', () => {
		const cli = join('node_modules', '.bin', 'mctl');
		runNode(consumer, [cli, 'new', 'plugin', 'tools.packed']);
		const install = ['install', '--offline', '--no-audit', '--no-fund', '--silent', '--omit=optional'];
		execFileSync('npm', install, { cwd: join(consumer, 'tools.packed'), stdio: 'pipe' });
		expect(runNode(join(consumer, 'tools.packed'), ['plugin.mjs', '--manifest'])).toContain('tools.packed');
	});

	it('has a working mctl', () => {
		expect(runNode(consumer, [join('node_modules', '.bin', 'mctl'), '--version'])).toMatch(/^\d/);
	});
});

function specifier(subpath: string): string {
	return subpath === '.' ? 'orchestra-hub' : `orchestra-hub${subpath.slice(1)}`;
}

function runNode(cwd: string, args: string[]): string {
	return execFileSync(process.execPath, args, { cwd, encoding: 'utf8' });
}
