/* The gateway on the official Go SDK, built where Go and its modules are there. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { note } from './report.mjs';

const cwd = resolve(import.meta.dirname, '../subjects/go-gateway');

/** Its program in this folder; undefined, with a line that says why, where it cannot be built. */
export function buildGoGateway(folder) {
	const program = join(folder, 'go-gateway');
	const env = { ...process.env, GOTOOLCHAIN: 'local' };
	const built = spawnSync('go', ['build', '-o', program, '.'], { cwd, env, encoding: 'utf8' });
	if (built.status === 0) return program;
	note(`  the Go gateway is left out: ${built.error?.message ?? built.stderr.trim().split('\n').at(-1)}`);
	return undefined;
}
