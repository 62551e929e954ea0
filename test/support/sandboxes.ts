/* Whether sandboxes work here, and a place outside of /tmp to try them, because /tmp is always private in one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeFiles } from './workspace.ts';

const tried = spawnSync(
	'bwrap',
	['--ro-bind', '/', '/', '--unshare-pid', '--unshare-net', '--proc', '/proc', '--dev', '/dev', 'true'],
	{ encoding: 'utf8' },
);

const root = resolve(import.meta.dirname, '../..');
/** A sandbox hides these folders, and with them the programs of the tests. */
const isHidden = /^\/(?:tmp|run)\//.test(`${root}/`);
const canSandbox = process.platform === 'linux' && tried.status === 0;

/** True when bubblewrap is installed, may make namespaces, and would not hide this repository. */
export const hasSandbox: boolean = canSandbox && !isHidden;

if (!canSandbox) console.warn('sandbox tests are skipped: bwrap is missing or may not make namespaces here');
else if (isHidden) console.warn(`sandbox tests are skipped: a sandbox hides ${root}`);

export interface SandboxPlace {
	readonly home: string;
	/** The project, inside of the home. */
	readonly project: string;
	/** A folder beside the home. */
	readonly outside: string;
	readonly environment: Record<string, string>;
}

/** A home with a key and a project, removed after the test. */
export function sandboxPlace(): SandboxPlace {
	const base = mkdtempSync(join(root, '.sandbox-test-'));
	onTestFinished(() => rmSync(base, { recursive: true, force: true }));
	const home = join(base, 'home');
	const outside = join(base, 'outside');
	mkdirSync(outside);
	writeFiles(home, { '.ssh/id_test': 'private key', 'visible.txt': 'visible', 'work/own.txt': 'own' });
	return {
		home,
		project: join(home, 'work'),
		outside,
		environment: { HOME: home, PATH: process.env['PATH'] ?? '' },
	};
}
