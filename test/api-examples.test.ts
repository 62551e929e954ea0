/* The programs of `examples/api` use every export: they compile in strict mode, with declarations, against the built package, and run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/workspace.ts';

const root = resolve(import.meta.dirname, '..');
const request = JSON.stringify({ input: { text: 'two words' }, context: { toolId: 'count', config: {} } });

describe('the examples of the API', () => {
	const folder = compiled();

	it.each(['hub', 'mcp', 'plugin', 'stdio', 'sdk', 'tool'])('%s.ts runs', async (name) => {
		const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder(), `${name}.js`)], {
			cwd: root,
			input: name === 'tool' ? request : '',
			encoding: 'utf8',
		});
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		expect(stdout.includes('"words":2')).toBe(name === 'tool');
	});
});

/** The folder of the compiled programs, made by the first test. */
function compiled(): () => string {
	let folder: string | undefined;
	return () => {
		folder ??= compile(temporaryFolder());
		return folder;
	};
}

function compile(folder: string): string {
	mkdirSync(join(folder, 'node_modules'), { recursive: true });
	symlinkSync(root, join(folder, 'node_modules/orchestra-hub'));
	for (const name of ['@types', '@modelcontextprotocol', 'zod'])
		symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
	const compilerOptions = {
		module: 'nodenext',
		strict: true,
		declaration: true,
		noUncheckedIndexedAccess: true,
		target: 'es2023',
		skipLibCheck: true,
		types: ['node'],
		outDir: folder,
		rootDir: join(root, 'examples/api'),
		typeRoots: [join(root, 'node_modules/@types')],
	};
	writeFileSync(
		join(folder, 'tsconfig.json'),
		JSON.stringify({ compilerOptions, include: [join(root, 'examples/api/*.ts')] }),
	);
	const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
	expect(stdout).toBe('');
	return folder;
}
