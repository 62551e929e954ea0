/* Plugins and a `mctl serve` above them, as real processes with a home of their own. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { Client } from '../../src/transport/client.ts';
import { type MctlResult, mctl } from './mctl.ts';
import { livingWith } from './programs.ts';
import { until } from './waiting.ts';
import { temporaryFolder } from './workspace.ts';

const packageRoot = resolve(import.meta.dirname, '../..');
const main = join(packageRoot, 'dist/cli/main.js');

/** A plugin entry for the configuration, whose program is `body` with the plugin SDK at hand. */
export function plugin(id: string, body: string, more: object = {}): { id: string } {
	const file = join(temporaryFolder(), 'plugin.mjs');
	const sdk = JSON.stringify(join(packageRoot, 'dist/plugin/index.js'));
	const head = `import { definePlugin, toolFailure } from ${sdk};
const id = ${JSON.stringify(id)};
const tool = (run, inputSchema) => ({ description: 'x', run, ...(inputSchema && { inputSchema }) });
`;
	writeFileSync(file, `${head}${body}`);
	return { id, binary: process.execPath, args: [file], ...more } as { id: string };
}

/** A whole plugin with these tools, written as the members of an object literal. */
export function pluginWith(id: string, tools: string, more: object = {}): { id: string } {
	return plugin(id, `await definePlugin({ id, version: '1.0.0', tools: { ${tools} } }).run();`, more);
}

export interface ServedFolder {
	folder: string;
	home: string;
	/** Every notification that came, by method. */
	received: string[];
	stderr: () => string;
	/** `mctl` in that folder. */
	mctl: (args: string[], input?: string) => Promise<MctlResult>;
	open: () => Promise<Client>;
}

/** A folder with this configuration; whatever was started there is gone at the end of the test. */
export function configuredFolder(configuration: object | string, name = 'orchestra.json'): ServedFolder {
	const home = temporaryFolder();
	const folder = join(home, 'work');
	mkdirSync(folder);
	const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
	writeFileSync(join(folder, name), text);
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: 'all' };
	const received: string[] = [];
	let stderr = '';
	onTestFinished(() => until('nothing with this home is left', () => livingWith('HOME', home).length === 0));
	return {
		folder,
		home,
		received,
		stderr: () => stderr,
		mctl: (args, input) => mctl(args, { cwd: folder, env, ...(input !== undefined && { input }) }),
		open: async () => {
			const record = { command: process.execPath, args: [main, 'serve'], cwd: folder, env };
			const client = await Client.open(record, {
				onNotification: (method) => received.push(method),
				stderr: (chunk) => (stderr += Buffer.from(chunk).toString('utf8')),
			});
			onTestFinished(() => client.close());
			return client;
		},
	};
}

/** The text of a tool's result. */
export async function callText(client: Client, name: string, input: object = {}): Promise<string> {
	const result = (await client.request('tools/call', { name, arguments: input })) as {
		content: { text: string }[];
	};
	return result.content[0]?.text ?? '';
}
