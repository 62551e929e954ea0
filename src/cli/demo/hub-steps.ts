/* Steps that show the shared hub: started by a bridge, reached over QUIC, with a plugin behind it. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import { type DemoInput, type DemoStep, expect, inFolder, joinedText } from './step.ts';

export const hubSteps: readonly DemoStep[] = [
	{ title: 'a project that names programs starts none of them until you trust it', run: trustProject },
	{ title: 'a bridge starts the shared hub and calls a plugin over QUIC', run: callPlugin },
];

function trustProject(input: DemoInput): Promise<string[]> {
	return inFolder(input, async ({ path, run, servers }) => {
		const mark = join(path, 'started');
		const mcpServers = { stranger: { command: 'touch', args: [mark] } };
		await writeFile(join(path, 'orchestra.json'), JSON.stringify({ mcpServers }));
		expect((await servers()).length, 0);
		expect(existsSync(mark), false);
		await run(['trust']);
		expect((await servers()).map(({ name }) => name).join(), 'stranger');
		return ['orchestra.json of a stranger: blocked; mctl trust shows what it runs, and trusts it'];
	});
}

function callPlugin(input: DemoInput): Promise<string[]> {
	return inFolder(input, async ({ path, run, start }) => {
		const plugin = join(packageRoot(), 'examples/plugins/projects/plugin.mjs');
		const plugins = [{ id: 'tools.projects', binary: process.execPath, args: [plugin] }];
		await writeFile(join(path, 'orchestra.json'), JSON.stringify({ plugins }));
		await run(['trust']);
		const bridge = await start(['bridge']);
		const call = { name: 'create_project', arguments: { name: 'My App' } };
		const text = joinedText(await bridge.request('tools/call', call));
		expect(text, 'Created project: My App (slug: my-app)');
		return [`bridge → hub → tools.projects: ${text}`];
	});
}
