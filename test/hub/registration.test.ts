/* Who may register with a hub, and what is stored of it. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../src/hub/hub.ts';
import { LINES_PER_SECOND } from '../../src/hub/hub-limits.ts';
import { orchestratorHandlers } from '../../src/hub/orchestrator/orchestrator-handlers.ts';
import { PluginSource } from '../../src/hub/sources/plugin-source.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import { Log } from '../../src/log.ts';
import { sharedState } from '../../src/mcp/server/mcp-session.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import type { PluginManifest } from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('a registration', () => {
	it.each([
		['tools.a', 'tools.a', true],
		['tools.a-client', 'tools.a', true],
		['tools.b-client', 'tools.a', false],
		['tools.a', 'tools.a-client', false],
		['transport.stdio-client', 'transport.stdio', true],
		['tools.a-client', '', false],
	])('over the certificate of %s as "%s": %s', async (name, id, isAccepted) => {
		const { register } = await openHub();
		expect(await register(name, { id })).toMatchObject({ accepted: isAccepted });
	});

	it('declares what the plugin provides, within limits', async () => {
		const { register, plugin } = await openHub();
		const providesAi = ['claude', 'x'.repeat(10_000), ...Array.from({ length: 500 }, (_, n) => `p${n}`)];
		await register('tools.a-client', { id: 'tools.a', providesStorage: ['sqlite'], providesAi });
		expect(plugin.providesStorage).toEqual(['sqlite']);
		expect(plugin.providesAi.slice(0, 2)).toEqual(['claude', 'p0']);
		expect(plugin.providesAi.length).toBeLessThan(100);
	});

	it.runIf(runsAllTests)(
		'uses no memory, however many come, and its log lines are rate-limited',
		async () => {
			const lines: string[] = [];
			const log = new Log('hub', {
				level: 'info',
				format: 'text',
				write: (line) => lines.push(line),
				now: () => new Date(0),
			});
			const { connect } = await openHub(log);
			const client = await connect('tools.a-client');
			const flood = async (count: number): Promise<void> => {
				for (let sent = 0; sent < count; sent += BURST)
					await Promise.all(
						Array.from({ length: BURST }, (_, n) => {
							const value = {
								id: n % 2 === 0 ? 'tools.a' : `made-up-${sent + n}`,
								name: 'x'.repeat(4_000),
								providesAi: [`${sent + n}`],
							};
							return client.ask({ case: 'register', value }, 'register');
						}),
					);
			};
			await flood(2 * BURST);
			const before = usedHeapBytes();
			const startedAt = performance.now();
			await flood(20_000);
			// Stored, they would be 80 MB.
			expect(usedHeapBytes() - before).toBeLessThan(20_000_000);
			const seconds = Math.ceil((performance.now() - startedAt) / 1000) + 1;
			expect(lines.length).toBeLessThan(2 * (seconds + 1) * (LINES_PER_SECOND + 1));
		},
	);
});

const BURST = 250;

function usedHeapBytes(): number {
	setFlagsFromString('--expose-gc');
	runInNewContext('gc')();
	return process.memoryUsage().heapUsed;
}

interface OpenedHub {
	plugin: PluginSource;
	connect: (name: string) => Promise<PluginClient>;
	register: (name: string, manifest: Partial<PluginManifest>) => Promise<{ accepted: boolean }>;
}

async function openHub(log = Log.silent): Promise<OpenedHub> {
	const folder = temporaryFolder();
	const plugin = configuredPlugin(log);
	const hub = new Hub({ sources: [plugin], log });
	const opened = { hub, storage: () => Promise.reject(new Error('not needed here')) };
	const handlers = orchestratorHandlers({
		opened: () => opened,
		shared: sharedState(),
		log,
		details: () => ({}),
	});
	const identity = await loadIdentity(folder, 'orchestrator');
	const server = await servePlugin({ address: 'localhost:0', identity, handlers });
	onTestFinished(() => server.close());
	const client = async (name: string): Promise<PluginClient> => {
		const found = await PluginClient.connect({
			address: server.address,
			identity: await loadIdentity(folder, name),
		});
		onTestFinished(() => found.close());
		return found;
	};
	const register: OpenedHub['register'] = async (name, { id = '', providesStorage = [], providesAi = [] }) =>
		(await client(name)).ask({ case: 'register', value: { id, providesStorage, providesAi } }, 'register');
	return { plugin, connect: client, register };
}

/** A plugin that is configured and never started. */
function configuredPlugin(log: Log): PluginSource {
	const lists = { args: [], providesStorage: [], providesAi: [], dependsOn: [] };
	const entry = {
		id: 'tools.a',
		binary: '/never',
		env: {},
		config: {},
		isEnabled: true,
		file: '/x.json',
		...lists,
	};
	const link = (): Promise<never> => Promise.reject(new Error('not needed here'));
	return new PluginSource({ entry, link, workspace: '/', environment: {}, log, settings: {} });
}
