/*
 * The examples of the documentation are compiled as a TypeScript user would: strict,
 * against the built package, under both ways of resolving modules.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/workspace.ts';

const root = resolve(import.meta.dirname, '..');
const files = ['README.md', ...readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))];

const resolutions = {
	node16: { module: 'node16', moduleResolution: 'node16' },
	bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

describe('the examples of the documentation', () => {
	it.each(Object.entries(resolutions))(
		'compile in strict mode with %s resolution',
		async (_name, options) => {
			const folder = await project(options);
			const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
			expect(stdout).toBe('');
		},
	);
});

/** A project that has the package installed and every example as a file of its own. */
async function project(options: object): Promise<string> {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
	symlinkSync(root, join(folder, 'node_modules/orchestra-hub'));
	for (const name of ['@types/node', 'zod'])
		symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
	const compilerOptions = {
		...options,
		strict: true,
		target: 'es2023',
		noEmit: true,
		skipLibCheck: true,
		types: ['node'],
	};
	writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
	for (const { name, code } of examples()) writeFileSync(join(folder, name), `${code}\nexport {};\n`);
	return folder;
}

function examples(): { name: string; code: string }[] {
	return files.flatMap((file) => {
		const text = readFileSync(join(root, file === 'README.md' ? '' : 'docs', file), 'utf8');
		return [...text.matchAll(/^```(?:js|ts)\n([\s\S]*?)^```$/gm)].map((match) => {
			const line = text.slice(0, match.index).split('\n').length;
			return { name: `${file.replace(/\.md$/, '')}-line-${line}.ts`, code: match[1] ?? '' };
		});
	});
}
