/*
 * The kinds of tests. A file belongs to one by its name and by what is written in it and in the
 * modules of `test/` that it imports, so a new file needs no entry in a list:
 *
 * - `*.load.test.ts` (floods, kills, races, installs) runs only with ORCHESTRA_TESTS=all;
 * - `pure`: the file starts no process and changes nothing of its own one (variables, signals,
 *   timers). Such files share a few threads, where each module is loaded once;
 * - `process`: all the others, each in a process of its own.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What a file that is not `pure` contains: it starts something, or changes the process that runs it. */
const USES_PROCESS =
	/node:(?:child_process|worker_threads)|\/proc\/self|getActiveResourcesInfo|memoryUsage|process\.execPath|command:|openHub|playwright|\bvi\.(?:useFakeTimers|stub|mock|spyOn)|process\.env\[?[^=\n]*\]? = |delete process\.env|process\.(?:chdir|exitCode|once|on|umask|kill|pid)\b|globalThis\b/;
/** Tests start real processes; two cores stay responsive with so many workers. */
const WORKERS = 3;

const isImpure = new Map<string, boolean>();
const pure = readdirSync('test', { recursive: true, encoding: 'utf8' })
	.map((name) => join('test', name))
	.filter((file) => file.endsWith('.test.ts') && !usesProcess(file));
const left = [
	...(process.env['ORCHESTRA_TESTS'] === 'all' ? [] : ['test/**/*.load.test.ts']),
	// `npm test` runs the folders of the layers with a coverage threshold on their own.
	...(process.env['ORCHESTRA_TESTS_EXCEPT'] ?? '').split(' ').filter((glob) => glob !== ''),
];

export default defineConfig({
	test: {
		// Only what hangs comes near: a busy machine takes ten times as long as a quiet one.
		testTimeout: 120_000,
		hookTimeout: 120_000,
		maxWorkers: WORKERS,
		setupFiles: ['test/support/each-file.ts'],
		// What is built is loaded as it is.
		server: { deps: { external: [/\/dist\/(?:cli|chunks)\//] } },
		// Tests write project files; those of trust itself set the variable to nothing.
		// They also have servers that hang, and no test waits for their learners; those of learning set it to nothing.
		env: { ORCHESTRA_TRUST: 'all', ORCHESTRA_LEARN: 'off', ...pathWithPython() },
		projects: [
			project('process', { include: ['test/**/*.test.ts'], exclude: [...left, ...pure] }),
			project('pure', { include: pure, exclude: left, pool: 'threads', isolate: false }),
		],
		coverage: {
			provider: 'v8',
			include: ['src/{wire,rpc,transport}/**/*.ts'],
			reporter: ['text-summary', 'json-summary'],
			thresholds: {
				'src/wire/**': { branches: 95 },
				'src/rpc/**': { branches: 95 },
				'src/transport/**': { branches: 95 },
			},
		},
	},
});

function project(name: string, test: object): object {
	return { extends: true, test: { ...test, name } };
}

function usesProcess(file: string): boolean {
	const seen = isImpure.get(file);
	if (seen !== undefined) return seen;
	isImpure.set(file, false); // for a cycle of imports
	const text = readFileSync(file, 'utf8');
	const imported = [...text.matchAll(/from '(\.\.?\/[^']*\.ts)'/g)].map(([, path = '']) =>
		join(dirname(file), path),
	);
	const found =
		USES_PROCESS.test(text) ||
		imported.some((path) => path.startsWith('test') && existsSync(path) && usesProcess(path));
	isImpure.set(file, found);
	return found;
}

/** `python3` may be a shim of pyenv, which starts thirty shells before Python: its folder comes after the true one. */
function pathWithPython(): { PATH?: string } {
	try {
		const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
		return { PATH: [dirname(python.trim()), process.env['PATH']].join(delimiter) };
	} catch {
		return {}; // tests with Python are skipped
	}
}
