/* Steps that show the shared hub: started by a bridge, reached over QUIC, with a plugin behind it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import { homeIn, stopDemoHub, stopHubDetached } from './demo-hub.ts';
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
			await stopDemoHub(folder, env);
		}
	}, stopHubDetached);
}
