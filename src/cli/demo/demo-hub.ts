/* The shared hub of a demo step: in a home of its own, and stopped at the end. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startMctl } from './step.ts';

/** A home of its own, so that the demo touches nothing of yours. */
export function homeIn(folder: string): Record<string, string> {
	return {
		HOME: folder,
		XDG_STATE_HOME: join(folder, 'state'),
		XDG_CONFIG_HOME: join(folder, 'config'),
		CLAUDE_CONFIG_DIR: '',
		CODEX_HOME: '',
		ORCHESTRA_TRUST: '',
	};
}

export async function stopDemoHub(folder: string, env: Record<string, string>): Promise<void> {
	const stopping = await startMctl(['hub', 'stop'], folder, env);
	// It answers no request: its end is what we wait for.
	await stopping.request('wait').catch(() => {});
	await stopping.close();
}

/**
 * A second Ctrl-C ends the demo at once, and the hub is detached: a shell stops it. Twice, since a hub
 * that was just being started is not known yet at the first time.
 */
export function stopHubDetached(folder: string): void {
	const script = '"$0" "$1" hub stop --all; sleep 2; "$0" "$1" hub stop --all; cd /; rm -rf "$2"';
	const args = ['-c', script, process.execPath, process.argv[1] ?? '', folder];
	spawn('sh', args, {
		cwd: folder,
		env: { ...process.env, ...homeIn(folder) },
		detached: true,
		stdio: 'ignore',
	}).unref();
}
