/* Steps that show the shared hub: started by a bridge, reached over QUIC, with a plugin behind it. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import { type DemoStep, expect, inFolder, joinedText, runMctl, startMctl } from './step.ts';

export const hubSteps: readonly DemoStep[] = [
	{ title: 'a project that names programs starts none of them until you trust it', run: trustProject },
	{ title: 'a bridge starts the shared hub and calls a plugin over QUIC', run: callPlugin },
];

function trustProject(): Promise<string[]> {
	return inFolder(async (folder) => {
		const env = homeIn(folder);
		const mark = join(folder, 'started');
		const mcpServers = { stranger: { command: 'touch', args: [mark] } };
		await writeFile(join(folder, 'orchestra.json'), JSON.stringify({ mcpServers }));
		const before = JSON.parse(await runMctl(['list', 'servers', '--json'], folder, env));
		expect(before.servers.length, 0);
		expect(existsSync(mark), false);
		await runMctl(['trust'], folder, env);
		const after = JSON.parse(await runMctl(['list', 'servers', '--json'], folder, env));
		expect(after.servers.map(({ name }: { name: string }) => name).join(), 'stranger');
		return ['orchestra.json of a stranger: blocked; mctl trust shows what it runs, and trusts it'];
	});
}

function callPlugin(): Promise<string[]> {
	return inFolder(async (folder) => {
		const plugin = join(packageRoot(), 'examples/plugins/projects/plugin.mjs');
		const plugins = [{ id: 'tools.projects', binary: process.execPath, args: [plugin] }];
		await writeFile(join(folder, 'orchestra.json'), JSON.stringify({ plugins }));
		const env = homeIn(folder);
		await runMctl(['trust'], folder, env);
		const bridge = await startMctl(['bridge'], folder, env);
		try {
			const call = { name: 'create_project', arguments: { name: 'My App' } };
			const text = joinedText(await bridge.request('tools/call', call));
			expect(text, 'Created project: My App (slug: my-app)');
			return [`bridge → hub → tools.projects: ${text}`];
		} finally {
			await bridge.close();
			await stopDemoHub(folder, env);
		}
	}, stopHubDetached);
}

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
