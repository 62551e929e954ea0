import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Child } from '../../src/process/child.ts';
import { crashLines, crashReason } from '../../src/process/crash-lines.ts';
import { type Diagnosis, exitReason, explainExit } from '../../src/process/diagnosis.ts';
import { findCommand } from '../../src/process/find-command.ts';
import { shell } from '../support/programs.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const started: Child[] = [];
afterEach(async () => {
	await Promise.all(started.splice(0).map((child) => child.stop()));
});

/** What a program prints about its own crash: the file, how it is run, and what must be left of it. */
interface Crash {
	readonly program: string;
	readonly what: string;
	readonly files?: Readonly<Record<string, string>>;
	/** Of the program, or of what `prepare` built. */
	readonly args?: readonly string[];
	readonly prepare?: readonly string[];
	readonly command?: string;
	readonly reason: string | RegExp;
}

const deepJs = (fail: string): string =>
	`function deep(n) { if (n === 0) ${fail}; deep(n - 1); }\nError.stackTraceLimit = 200;\ndeep(100);\n`;

const crashes: readonly Crash[] = [
	{
		program: 'node',
		what: 'a package that is not installed (import)',
		files: { 'x.mjs': "import 'no-such-package';" },
		args: ['x.mjs'],
		reason: /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'no-such-package' imported from /,
	},
	{
		program: 'node',
		what: 'a package that is not installed (require)',
		files: { 'x.cjs': "require('no-such-package');" },
		args: ['x.cjs'],
		reason: "Error: Cannot find module 'no-such-package'",
	},
	{
		program: 'node',
		what: 'a missing file',
		args: ['missing.js'],
		reason: /^Error: Cannot find module '.*missing\.js'$/,
	},
	{
		program: 'node',
		what: 'a deep stack',
		files: { 'x.mjs': deepJs("throw new TypeError('no key is set')") },
		args: ['x.mjs'],
		reason: 'TypeError: no key is set',
	},
	{
		program: 'node',
		what: 'an error with a cause',
		files: {
			'x.mjs': "throw new Error('settings.json is damaged', { cause: new SyntaxError('line 3') });",
		},
		args: ['x.mjs'],
		reason: 'Error: settings.json is damaged; [cause]: SyntaxError: line 3',
	},
	{
		program: 'node',
		what: 'a syntax error',
		files: { 'x.mjs': 'const a = ;' },
		args: ['x.mjs'],
		reason: "SyntaxError: Unexpected token ';'",
	},
	{
		program: 'node',
		what: 'an error of the system',
		files: { 'x.mjs': "import fs from 'node:fs'; fs.readFileSync('/no/such/file');" },
		args: ['x.mjs'],
		reason: "Error: ENOENT: no such file or directory, open '/no/such/file'",
	},
	{
		program: 'python3',
		what: 'a module that is not installed',
		files: { 'x.py': 'import no_such_module' },
		args: ['x.py'],
		reason: "ModuleNotFoundError: No module named 'no_such_module'",
	},
	{
		program: 'python3',
		what: 'a module that is not installed (-m)',
		args: ['-m', 'no_such_module'],
		reason: /: No module named no_such_module$/,
	},
	{
		program: 'python3',
		what: 'an exception from another',
		files: {
			'x.py':
				"try:\n    {}['a']\nexcept KeyError as e:\n    raise RuntimeError('settings are damaged') from e\n",
		},
		args: ['x.py'],
		reason: 'RuntimeError: settings are damaged',
	},
	{
		program: 'python3',
		what: 'a syntax error',
		files: { 'x.py': 'def x(:\n  pass\n' },
		args: ['x.py'],
		reason: 'SyntaxError: invalid syntax',
	},
	{
		program: 'python3',
		what: 'an exit with a sentence',
		files: { 'x.py': "import sys; sys.exit('give --token')" },
		args: ['x.py'],
		reason: 'give --token',
	},
	{
		program: 'go',
		what: 'a panic with many goroutines',
		files: {
			'go.mod': 'module crash\ngo 1.20\n',
			'main.go': `package main
import "time"
func deep(n int) int { if n == 0 { panic("no key is set") }; return deep(n-1) + 1 }
func main() { for i := 0; i < 300; i++ { go func() { select {} }() }; time.Sleep(10 * time.Millisecond); deep(30) }
`,
		},
		prepare: ['build', '-o', 'crash', '.'],
		command: './crash',
		reason: 'panic: no key is set',
	},
	{
		program: 'go',
		what: 'a nil pointer',
		files: {
			'go.mod': 'module crash\ngo 1.20\n',
			'main.go': 'package main\nfunc main() { var p *int; *p = 1 }\n',
		},
		prepare: ['build', '-o', 'crash', '.'],
		command: './crash',
		reason: 'panic: runtime error: invalid memory address or nil pointer dereference',
	},
	{
		program: 'npx',
		what: 'a package that cannot be had',
		args: ['--offline', '-y', 'no-such-package-of-anyone'],
		reason: /^npm error .*(?:no-such-package-of-anyone|only-if-cached|no cached response)/i,
	},
	{
		program: 'uvx',
		what: 'a package that cannot be had',
		args: ['--offline', 'no-such-package-of-anyone'],
		reason: /no-such-package-of-anyone/,
	},
	{
		program: 'rustc',
		what: 'a panic',
		files: { 'x.rs': 'fn main() { let r: Result<i32, String> = Err("no key".into()); r.unwrap(); }' },
		prepare: ['-o', 'crash', 'x.rs'],
		command: './crash',
		reason:
			/^thread 'main'.* panicked at x\.rs:1:\d+: called `Result::unwrap\(\)` on an `Err` value: "no key"$/,
	},
	{
		program: 'java',
		what: 'an exception with a cause',
		files: {
			'Crash.java': `public class Crash {
	static void deep(int n) { if (n == 0) throw new IllegalStateException("no key", new java.io.IOException("disk gone")); deep(n - 1); }
	public static void main(String[] a) { deep(40); }
}`,
		},
		args: ['Crash.java'],
		reason:
			'Exception in thread "main" java.lang.IllegalStateException: no key; Caused by: java.io.IOException: disk gone',
	},
	{
		program: 'ruby',
		what: 'an exception',
		files: {
			'x.rb': "def deep(n) = n == 0 ? raise(ArgumentError, 'no key is set') : deep(n - 1)\ndeep(50)\n",
		},
		args: ['x.rb'],
		reason: /^x\.rb:1:in .*: no key is set \(ArgumentError\)$/,
	},
	{
		program: 'perl',
		what: 'a module that is not installed',
		files: { 'x.pl': 'use No::Such;' },
		args: ['x.pl'],
		reason: /^Can't locate No\/Such\.pm in @INC/,
	},
	{
		program: 'deno',
		what: 'an exception',
		files: { 'x.ts': deepJs("throw new Error('no key is set')") },
		args: ['run', 'x.ts'],
		reason: /^error: Uncaught .*Error: no key is set$/,
	},
	{
		program: 'bun',
		what: 'an exception',
		files: { 'x.ts': deepJs("throw new Error('no key is set')") },
		args: ['x.ts'],
		reason: 'error: no key is set',
	},
	{
		program: 'php',
		what: 'an exception',
		files: { 'x.php': '<?php function f() { throw new RuntimeException("no key is set"); } f();' },
		args: ['-d', 'display_errors=stderr', 'x.php'],
		reason: /Fatal error: +Uncaught RuntimeException: no key is set/,
	},
	{
		program: 'sh',
		what: 'a command that is not installed',
		args: ['-c', 'no-such-command'],
		reason: /no-such-command: (?:command )?not found$/,
	},
];

/** Frames of the runtimes, and decoration. */
const STACK =
	/^\s*at node:|\(node:internal|^Node\.js v|^goroutine|\bjava\.base\/|stack backtrace|A complete log|[\^~]{2,}/m;

describe('the reason of a crash is retained, and the stack is not', () => {
	for (const crash of crashes) {
		it.skipIf(!isInstalled(crash.program))(`${crash.program}: ${crash.what}`, async () => {
			const diagnosis = await diagnose(crash);
			const reason = exitReason(diagnosis);
			if (typeof crash.reason === 'string') expect(reason).toBe(crash.reason);
			else expect(reason).toMatch(crash.reason);
			for (const part of reason?.split('; ') ?? [])
				expect(explainExit(diagnosis)).toContain(part.slice(0, 30));
			expect(crashLines(diagnosis.stderr, 10).join('\n')).not.toMatch(STACK);
		});
	}
});

describe('lines of any program', () => {
	it('keeps the reason of a wrapped program, whose wrapper goes on about itself', async () => {
		const lines = [
			'Error: no key is set',
			'npm error Lifecycle script `start` failed with error:',
			'npm error code 1',
			'npm error path /app',
			'npm error command failed',
		];
		expect(crashLines(lines, 1)).not.toEqual(['npm error command failed']);
		expect(crashLines(lines, 3)).toContain('Error: no key is set');
	});

	it('shows the last lines of a program that says no reason', async () => {
		const { stderr } = await ended(await Child.start(shell('seq 1 30 >&2; exit 3')));
		expect(crashLines(stderr, 3)).toEqual(['28', '29', '30']);
		expect(crashReason(stderr)).toBeUndefined();
	});

	it('shows frames rather than nothing', () => {
		expect(crashLines(['    at f (/x.js:1:2)', 'Node.js v20.1.0'], 3)).toEqual(['    at f (/x.js:1:2)']);
		expect(crashLines(['Node.js v20.1.0'], 3)).toEqual(['Node.js v20.1.0']);
		expect(crashLines(['    at f (/x.js:1:2)'], 0)).toEqual([]);
	});

	it('returns lines of the program in their order, at most as many as there is room for', () => {
		const line = fc.oneof(fc.string(), fc.constantFrom(...SAMPLES));
		fc.assert(
			fc.property(fc.array(line), fc.integer({ min: 0, max: 12 }), (lines, count) => {
				const shown = crashLines(lines, count);
				expect(shown.length).toBeLessThanOrEqual(count);
				let from = 0;
				for (const text of shown) from = lines.indexOf(text, from) + 1 || Number.NaN;
				expect(from).not.toBeNaN();
			}),
		);
	});
});

const SAMPLES = [
	'Error: x',
	'    at f (/x.js:1:2)',
	'node:internal/x:1',
	'  ^',
	'  File "x.py", line 1, in f',
	'    source',
	'goroutine 1 [running]:',
	'main.f()',
	'\t/x.go:1',
	"thread 'main' panicked at x.rs:1:1:",
];

function isInstalled(program: string): boolean {
	try {
		findCommand(program, '/', environment());
		// A rustc of rustup alone needs a toolchain.
		return program !== 'rustc' || spawnSync('rustc', ['--version'], { env: environment() }).status === 0;
	} catch {
		return false;
	}
}

function environment(): Record<string, string> {
	return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };
}

async function diagnose({ program, files = {}, args = [], prepare, command }: Crash): Promise<Diagnosis> {
	const cwd = writeFiles(temporaryFolder(), files);
	// A cache of its own, so that nothing is found there.
	const env = {
		...environment(),
		npm_config_cache: join(cwd, 'npm'),
		UV_CACHE_DIR: join(cwd, 'uv'),
		RUST_BACKTRACE: '1',
	};
	if (prepare)
		await promisify(execFile)(program, prepare, {
			cwd,
			env: { ...process.env, GOTOOLCHAIN: 'local' },
		});
	return ended(await Child.start({ command: command ?? program, args: command ? [] : [...args], cwd, env }));
}

async function ended(child: Child): Promise<Diagnosis> {
	started.push(child);
	child.stdin.end();
	child.stdout.resume();
	await child.gone;
	await child.lastStderrLines();
	return child.diagnose();
}
