/* Who may register with a hub, and what is kept of it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { PluginBackend } from '../../src/hub/backends/plugin-backend.ts';
import { Hub } from '../../src/hub/hub.ts';
import { orchestratorHandlers } from '../../src/hub/orchestrator/orchestrator-handlers.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import { Log } from '../../src/log.ts';
import { sharedState } from '../../src/mcp/server/mcp-session.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import type { PluginManifest } from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
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
});

interface OpenedHub {
	plugin: PluginBackend;
	register: (name: string, manifest: Partial<PluginManifest>) => Promise<{ accepted: boolean }>;
}

async function openHub(): Promise<OpenedHub> {
	const folder = temporaryFolder();
	const log = Log.silent;
	const plugin = configuredPlugin(log);
	const hub = new Hub({ backends: [plugin], log });
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
	return { plugin, register };
}

/** A plugin that is configured and never started. */
function configuredPlugin(log: Log): PluginBackend {
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
	return new PluginBackend({ entry, link, workspace: '/', environment: {}, log, settings: {} });
}
