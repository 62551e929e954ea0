/* Steps that show the shared hub: started by a bridge, reached over QUIC, with a plugin behind it. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import { type DemoStep, expect, inFolder, startMctl, textsOf } from './step.ts';

export const hubSteps: readonly DemoStep[] = [
	{ title: 'a bridge starts the shared hub and calls a plugin over QUIC', run: callPlugin },
];

function callPlugin(): Promise<string[]> {
	return inFolder(async (folder) => {
		const plugin = join(packageRoot(), 'examples/plugins/projects/plugin.mjs');
		const plugins = [{ id: 'tools.projects', binary: process.execPath, args: [plugin] }];
		await writeFile(join(folder, 'orchestra.json'), JSON.stringify({ plugins }));
		const env = homeIn(folder);
		const bridge = await startMctl(['bridge'], folder, env);
		try {
			const call = { name: 'create_project', arguments: { name: 'My App' } };
			const text = textsOf(await bridge.request('tools/call', call));
			expect(text, 'Created project: My App (slug: my-app)');
			return [`bridge → hub → tools.projects: ${text}`];
		} finally {
			await bridge.close();
			await stopHub(folder, env);
		}
	}, stopHubDetached);
}

/** A home of its own, so that the demo touches nothing of yours. */
function homeIn(folder: string): Record<string, string> {
	return { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), XDG_CONFIG_HOME: folder };
}

async function stopHub(folder: string, env: Record<string, string>): Promise<void> {
	const stopping = await startMctl(['hub', 'stop'], folder, env);
	// It answers no request: its end is what we wait for.
	await stopping.request('wait').catch(() => {});
	await stopping.close();
}

/**
 * A second Ctrl-C ends the demo at once, and the hub is detached: a shell stops it. Twice, since a hub
 * that was just being started is not known yet at the first time.
 */
function stopHubDetached(folder: string): void {
	const script = '"$0" "$1" hub stop; sleep 2; "$0" "$1" hub stop; cd /; rm -rf "$2"';
	const args = ['-c', script, process.execPath, process.argv[1] ?? '', folder];
	spawn('sh', args, {
		cwd: folder,
		env: { ...process.env, ...homeIn(folder) },
		detached: true,
		stdio: 'ignore',
	}).unref();
}
