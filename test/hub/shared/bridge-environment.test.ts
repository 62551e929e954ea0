/* Variables of the configuration that the hub was started without come from the bridges. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BridgeEnvironment } from '../../../src/hub/shared/bridge-environment.ts';
import { type HubPlace, openHubPlace } from '../../support/hub-place.ts';
import { until } from '../../support/waiting.ts';

const packageRoot = resolve(import.meta.dirname, '../../..');
const secret = 'a-secret-of-this-test';

describe('a variable that the configuration names', () => {
	it('is delivered by a bridge that has it before its first call, and is written to no file', async () => {
		const place = openPlaceWithPlugin();
		await place.start();
		const bridge = place.bridge({ MY_TOKEN: secret });
		await bridge.ready();
		const answer = await bridge.client.call(2, 'tools/call', { name: 'token', arguments: {} });
		expect(answer.result).toEqual({ content: [{ type: 'text', text: secret }] });
		expect(
			filesBelow(join(place.home, 'state')).filter((file) => readFileSync(file, 'utf8').includes(secret)),
		).toEqual([]);
	});

	it('retains its first value, so that bridges with other values restart nothing', async () => {
		const place = openPlaceWithPlugin();
		await place.start();
		for (const value of [secret, 'another']) {
			const bridge = place.bridge({ MY_TOKEN: value });
			await bridge.ready();
			const answer = await bridge.client.call(2, 'tools/call', { name: 'token', arguments: {} });
			expect(answer.result).toEqual({ content: [{ type: 'text', text: secret }] });
		}
	});

	it('that is not set is named with every environment that was searched', async () => {
		const place = openPlaceWithPlugin();
		const pid = await place.start();
		const bridge = place.bridge();
		await bridge.ready();
		const expected = `\${MY_TOKEN} is not set in the environment of the hub (pid ${pid}), nor of the bridge (pid ${bridge.pid})`;
		await until('the hub says so', () => readFileSync(place.folder.logFile, 'utf8').includes(expected));
	});

	it('is taken from bridges only', () => {
		const values = new BridgeEnvironment();
		expect(values.take({ env: { A: '1' } }, 'tools.plugin', ['A'])).toBe(false);
		expect(values.take({ env: { A: '1', B: '2' } }, 'transport.stdio-client', ['A'])).toBe(true);
		expect(values.current.values).toEqual({ A: '1' });
	});
});

describe('the log of the shared hub', () => {
	it('contains no queries of users', async () => {
		const place = openHubPlace();
		const bridge = place.bridge();
		await bridge.ready();
		const uri = 'orchestr8://match?query=my+private+question&mode=catalog';
		expect((await bridge.client.call(2, 'resources/read', { uri })).result).toBeDefined();
		await until('it is logged', () =>
			readFileSync(place.folder.logFile, 'utf8').includes('Dynamic resource request: orchestr8://match'),
		);
		expect(readFileSync(place.folder.logFile, 'utf8')).not.toContain('private');
	});
});

function openPlaceWithPlugin(): HubPlace {
	const source = `import { definePlugin } from ${JSON.stringify(join(packageRoot, 'dist/plugin/index.js'))};
await definePlugin({
	id: 'tools.secret',
	version: '1.0.0',
	tools: { token: { description: 'x', run: () => process.env.TOKEN } },
}).run();
`;
	const plugin = {
		id: 'tools.secret',
		binary: process.execPath,
		args: ['../plugin.mjs'],
		env: { TOKEN: '${MY_TOKEN}' },
	};
	return openHubPlace({ plugins: [plugin] }, { 'plugin.mjs': source });
}

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((name) => join(folder, name))
		.filter((path) => statSync(path).isFile());
}
