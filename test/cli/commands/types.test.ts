/* `mctl types`: the client that it writes compiles under strict, and works. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../../support/all-tests.ts';
import { mctl } from '../../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const root = resolve(import.meta.dirname, '../../..');
const server = (name: string, ...args: string[]): object => ({
	command: process.execPath,
	args: [join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

/** A use of the client: right calls compile, and each wrong one is an error. */
const use = `
import { connectTools } from './tools.ts';

export async function use(): Promise<number> {
	const tools = await connectTools();
	const { structuredContent } = await tools.call('all__get-structured-content', { location: 'Chicago' });
	await tools.call('all__get-env');
	await tools.call('files__read_text_file', { path: 'a', head: 1 }, { timeoutMs: 1000 });
	// @ts-expect-error a path is a string
	await tools.call('files__read_text_file', { path: 1 });
	// @ts-expect-error the arguments are required
	await tools.call('files__read_text_file');
	// @ts-expect-error there is no such tool
	await tools.call('files__nothing', {});
	await tools.close();
	return structuredContent?.temperature ?? 0;
}
`;

describe('mctl types', () => {
	it('writes types and a client that compile under strict', async () => {
		const folder = project();
		const { stderr, code } = await run(folder, 'types', '--out', 'tools.ts');
		expect([code, stderr]).toEqual([0, expect.stringMatching(/\d+ tools written to tools.ts/)]);
		expect(compile(folder)).toBe('');
	});

	it.runIf(runsAllTests)('writes a client that calls the tools', async () => {
		const folder = project();
		await run(folder, 'types', 'all', '--out', 'tools.ts');
		const main = join(root, 'dist/cli/main.js');
		const script = `import { connectTools } from './tools.ts';
			const tools = await connectTools({ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(main)}, 'serve'], env: { ORCHESTRA_TRUST: 'all' } });
			const { content } = await tools.call('all__echo', { message: 'hello' });
			console.log(JSON.stringify(content));
			await tools.close();`;
		writeFileSync(join(folder, 'main.ts'), script);
		const emit = ['--outDir', 'out', '--noEmit', 'false', '--rewriteRelativeImportExtensions', 'true'];
		spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, ...emit], { cwd: folder });
		const { stdout } = spawnSync(process.execPath, ['out/main.js'], {
			cwd: folder,
			encoding: 'utf8',
			env: environment(folder),
		});
		expect(stdout).toContain('Echo: hello');
	});

	it('prints to stdout, for one server only', async () => {
		const { stdout } = await run(project(), 'types', 'files');
		expect(stdout).toContain('files__read_text_file: {');
		expect(stdout).not.toContain('all__echo');
	});

	it('names the servers for one that is not configured', async () => {
		const { code, stderr } = await run(project(), 'types', 'filse');
		expect([code, stderr]).toEqual([64, expect.stringContaining('did you mean: files')]);
	});
});

function project(): string {
	const folder = temporaryFolder();
	const mcpServers = { all: server('everything', 'stdio'), files: server('filesystem', '.') };
	writeFiles(folder, { 'orchestra.json': JSON.stringify({ mcpServers }), 'use.ts': use });
	mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
	symlinkSync(root, join(folder, 'node_modules/orchestra-hub'));
	symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
	const compilerOptions = {
		module: 'nodenext',
		target: 'es2023',
		strict: true,
		exactOptionalPropertyTypes: true,
		noUncheckedIndexedAccess: true,
		noUnusedLocals: true,
		allowImportingTsExtensions: true,
		noEmit: true,
		skipLibCheck: true,
		types: ['node'],
	};
	writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
	return folder;
}

function compile(folder: string): string {
	expect(readFileSync(join(folder, 'tools.ts'), 'utf8')).not.toBe('');
	return spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout;
}

function environment(folder: string): Record<string, string> {
	return { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
}

function run(folder: string, ...words: string[]): ReturnType<typeof mctl> {
	return mctl(words, { cwd: folder, env: environment(folder) });
}
