/* The reference pages are complete: every error code, every environment variable, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../src/cli/exit.ts';

const root = resolve(import.meta.dirname, '..');

describe('docs/errors.md', () => {
	const rows = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$/gm)];

	it('lists every error code once and no other', () => {
		expect(rows.map(([, code]) => code).sort()).toEqual(Object.keys(exitCodes).sort());
	});

	it.each(rows.map(([, code = '', exit]) => [code, Number(exit)] as const))(
		'has the exit code of %s',
		(code, exit) => {
			expect(Object.entries(exitCodes)).toContainEqual([code, exit]);
		},
	);
});

describe('docs/environment.md', () => {
	const documented = new Set(
		[...read('docs/environment.md').matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name),
	);

	it('has every variable that the source reads', () => {
		const used = sources().flatMap(variablesIn);
		expect(used).toContain('XDG_STATE_HOME');
		expect([...new Set(used)].filter((name) => !documented.has(name))).toEqual([]);
	});

	it('has no variable that the source does not name', () => {
		const source = sources().join('\n');
		expect([...documented].filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
	});
});

/** Names in `environment['X']`, `process.env.X`, `{ X } = environment` and constants that are called so. */
function variablesIn(source: string): string[] {
	const keyed = source.matchAll(/\benv(?:ironment)?(?:\[['"]|\.)([A-Z][A-Z0-9_]{2,})\b/g);
	const taken = source.matchAll(/const \{([A-Z_, ]+)\} = (?:this\.#)?(?:environment|process\.env)\b/g);
	const constants = source.matchAll(/const \w+ = '((?:ORCHESTRA|M_CONTROL)_[A-Z_]+)'/g);
	return [
		...[...keyed, ...constants].map(([, name = '']) => name),
		...[...taken].flatMap(([, names = '']) => names.split(',').map((name) => name.trim())),
	];
}

function sources(): string[] {
	return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts') && !/plugin.gen\b/.test(name))
		.map((name) => withoutComments(read(join('src', name))));
}

/** Comments and text for other programs show variables that nothing here reads. */
function withoutComments(source: string): string {
	return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function read(path: string): string {
	return readFileSync(join(root, path), 'utf8');
}
