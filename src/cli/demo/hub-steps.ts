/* Steps that show the shared hub: started by a bridge, reached over QUIC, with a plugin behind it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DemoStep, expect, inFolder, startMctl, textsOf } from './step.ts';

export const hubSteps: readonly DemoStep[] = [
	{ title: 'a bridge starts the shared hub and calls a plugin over QUIC', run: callPlugin },
];

function callPlugin(): Promise<string[]> {
	return inFolder(async (folder) => {
		const plugin = fileURLToPath(new URL('../../examples/plugins/projects/plugin.mjs', import.meta.url));
		const plugins = [{ id: 'tools.projects', binary: process.execPath, args: [plugin] }];
		await writeFile(join(folder, 'orchestra.json'), JSON.stringify({ plugins }));
		// A home of its own, so that the demo touches nothing of yours.
		const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), XDG_CONFIG_HOME: folder };
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
	});
}

async function stopHub(folder: string, env: Record<string, string>): Promise<void> {
	const stopping = await startMctl(['hub', 'stop'], folder, env);
	// It answers no request: its end is what we wait for.
	await stopping.request('wait').catch(() => {});
	await stopping.close();
}
