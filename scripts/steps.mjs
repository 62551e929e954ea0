/* Run the steps of a script, showing each with its time: in order until one fails, or beside each other. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');
const isWindows = process.platform === 'win32';

/** Run one program in the repository; on failure the script ends with its exit code. */
export function step(title, command, args, options = {}) {
	const started = performance.now();
	process.stderr.write(`\u2192 ${title}\n`);
	const { status, error } = spawnSync(command, args, {
		cwd: root,
		stdio: ['inherit', options.quiet ? 'ignore' : 'inherit', 'inherit'],
		shell: isWindows,
		env: { ...process.env, ...options.env },
	});
	if (error) process.stderr.write(`${title}: ${error.message}\n`);
	if (status !== 0) process.exit(status ?? 1);
	process.stderr.write(`  ${title}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

/** Run a program of `node_modules/.bin`. */
export function tool(title, name, args, options) {
	step(title, programOf(name), args, options);
}

/**
 * Run several sequences of steps side by side. The output of a step that is not shown is printed when it fails. A step
 * that failed does not stop the others; the script ends with exit code 1 after them, and names it.
 */
export async function runBeside(sequences) {
	const failed = [];
	const runAll = async (steps) => {
		for (const each of steps) if (!(await isRun(each))) failed.push(each.title);
	};
	await Promise.all(sequences.map(runAll));
	if (failed.length === 0) return;
	process.stderr.write(`failed: ${failed.join(', ')}\n`);
	process.exitCode = 1;
}

async function isRun({ title, name, args, isShown = false, env }) {
	const started = performance.now();
	const stdio = isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'];
	const child = spawn(programOf(name), args, {
		cwd: root,
		stdio,
		shell: isWindows,
		env: { ...process.env, ...env },
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
	const code = await once(child, 'close').then(
		([exitCode, signal]) => exitCode ?? signal,
		(error) => error.message,
	);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	process.stderr.write(
		`${code === 0 ? '' : output}  ${title}: ${code === 0 ? '' : `failed (${code}), `}${seconds} s\n`,
	);
	return code === 0;
}

/** A path, or a program of `node_modules/.bin`. */
function programOf(name) {
	if (name === process.execPath || name === 'npx') return name;
	return join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name);
}

/** Install the dependencies when they are missing or the lock file is newer than the installation. */
export function install() {
	const lock = join(root, 'package-lock.json');
	const stamp = join(root, 'node_modules', '.installed');
	if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
	// Not `npm ci`: it removes node_modules first, under a hub that runs from this checkout.
	step(
		'install dependencies',
		'npm',
		['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
		{ quiet: true },
	);
	writeFileSync(stamp, `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
}
