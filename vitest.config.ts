/*
 * The kinds of tests. A file belongs to one by its name and by what is written in it and in the
 * modules of `test/` that it imports, so a new file needs no entry in a list:
 *
 * - `*.load.test.ts` (floods, kills, races, installs) runs only with ORCHESTRA_TESTS=all;
 * - `pure`: the file starts no process and changes nothing of its own one (variables, signals,
 *   timers). Such files share a few processes, where each module is loaded once. They were threads
 *   once; the native QUIC engine aborts the whole process when a thread that loaded it ends;
 * - `process`: the file starts processes. Such files share a few processes too;
 * - `own`: the file changes or measures the process that runs it, and has one of its own.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What a file contains that needs a process of its own: it changes it, or measures it. */
const OWN_PROCESS =
	/node:worker_threads|\/proc\/self|getActiveResourcesInfo|memoryUsage|childrenOf\(process|\bvi\.(?:useFakeTimers|stub|mock|spyOn)|process\.env\[?[^=\n]*\]? = |delete process\.env|process\.(?:chdir|once|on|umask)\b|process\.exitCode = |-\$\{process\.pid\}|globalThis\b/;
/** What a file contains that starts processes. */
const STARTS = /node:child_process|process\.execPath|command:|openHub|playwright|process\.kill\b/;

const found = new Map<string, boolean>();
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
	.map((name) => join('test', name))
	.filter((file) => file.endsWith('.test.ts'));
const own = files.filter((file) => contains(file, OWN_PROCESS));
const starting = files.filter((file) => !own.includes(file) && contains(file, STARTS));
const pure = files.filter((file) => !own.includes(file) && !starting.includes(file));
/** Tests in Chromium and with a nats-server have commands of their own: `npm run test:browser`, `npm run test:fabric`. */
const elsewhere = files.filter(
	(file) => /^test\/(?:browser|fabric)\//.test(file) && contains(file, /\b(?:findChromium|findServer)\(/),
);
/** What one run of vitest runs: `gated` is measured for coverage, `rest` is all else, `short` is both. Without it everything runs. */
const part = process.env['ORCHESTRA_TESTS_PART'];
/** Tests start real processes and wait for them: two cores stay responsive with four workers. */
const WORKERS = part === 'gated' || part === 'rest' ? 2 : 4;
const runsAll = process.env['ORCHESTRA_TESTS'] === 'all';
const left = [
	...(runsAll ? [] : ['test/**/*.load.test.ts']),
	...(part === undefined || runsAll ? [] : elsewhere),
	...files.filter((file) => part === (isGated(file) ? 'rest' : 'gated')),
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
			project('own', { include: own, exclude: left }),
			project('process', { include: starting, exclude: left, isolate: false }),
			project('pure', { include: pure, exclude: left, isolate: false }),
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

/** Whether the file reaches branches of the layers with a threshold: their own tests, and the cheap ones of what stands on them. */
function isGated(file: string): boolean {
	if (/^test\/(?:wire|rpc|transport|hub\/plain-route)/.test(file)) return true;
	return pure.includes(file) && /^test\/(?:mcp|plugin|oauth|bridge|http|hub)\//.test(file);
}

function project(name: string, test: object): object {
	return { extends: true, test: { ...test, name } };
}

/** Whether the file, or a module of `test/` that it imports, contains this. */
function contains(file: string, what: RegExp): boolean {
	const key = `${what.source} ${file}`;
	const known = found.get(key);
	if (known !== undefined) return known;
	found.set(key, false); // for a cycle of imports
	const text = readFileSync(file, 'utf8');
	const imported = [...text.matchAll(/from '(\.\.?\/[^']*\.ts)'/g)].map(([, path = '']) =>
		join(dirname(file), path),
	);
	const isFound =
		what.test(text) ||
		imported.some((path) => path.startsWith('test') && existsSync(path) && contains(path, what));
	found.set(key, isFound);
	return isFound;
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
