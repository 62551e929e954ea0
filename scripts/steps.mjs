/* Run the steps of a script in order, showing each with its time, and stop at the first that fails. */
import { spawnSync } from 'node:child_process';
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
	step(title, join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name), args, options);
}

/** Install the dependencies when they are missing or the lock file is newer than the installation. */
export function install() {
	const lock = join(root, 'package-lock.json');
	const stamp = join(root, 'node_modules', '.installed');
	if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
	// Not `npm ci`: it refuses a lock file in which an optional binary of some other platform is missing.
	step(
		'install dependencies',
		'npm',
		['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
		{ quiet: true },
	);
	writeFileSync(stamp, `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
}
