/* Plugins under `mctl serve`: real processes, from a home in which nothing is there yet. */

import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rpcErrorOf } from '../../src/rpc/rpc-error.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { buildGoPeer } from '../support/go-peer.ts';
import { mctl } from '../support/mctl.ts';
import { callText, configuredFolder, plugin, pluginWith } from '../support/plugins.ts';
import { thrownBy } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const tools = (list: unknown): string[] =>
	(list as { tools: { name: string }[] }).tools.map(({ name }) => name);

describe('a plugin under mctl serve', () => {
	it('stores, reads, calls other plugins, and receives their events', async () => {
		const { open } = configuredFolder({
			plugins: [
				pluginWith('tools.first', `hello: tool(() => 'hello from the first')`),
				plugin('tools.second', second),
			],
		});
		const client = await open();
		expect(await callText(client, 'keep', { text: 'a note' })).toBe('1 a note');
		expect(await callText(client, 'ask_first')).toBe('hello from the first');
		expect(await callText(client, 'publish_and_hear')).toBe('{"n":1}');
		const { contents } = (await client.request('resources/read', { uri: 'orchestra://notes/today' })) as {
			contents: object[];
		};
		expect(contents).toMatchObject([{ text: 'a note' }]);
	});

	it('cannot call a tool of another plugin that the policy denies to it', async () => {
		const { open } = configuredFolder({
			plugins: [
				pluginWith('tools.first', `hello: tool(() => 'hello from the first')`),
				plugin('tools.second', second),
			],
			policy: [{ tools: 'hello', clients: 'tools.second', action: 'deny', reason: 'not for plugins' }],
		});
		const client = await open();
		expect(await callText(client, 'hello')).toBe('hello from the first');
		const refused = await client.request('tools/call', { name: 'ask_first' });
		expect(JSON.stringify(refused)).toContain('not for plugins');
		expect(refused).toMatchObject({ isError: true });
	});

	it('gives a result without a text as JSON with sorted keys', async () => {
		const { open } = configuredFolder({
			plugins: [pluginWith('tools.a', `a: tool(() => ({ b: 1, a: [{ d: 2, c: 3 }] }))`)],
		});
		expect(await callText(await open(), 'a')).toBe('{"a":[{"c":3,"d":2}],"b":1}');
	});

	it('gets the events that its manifest needs', async () => {
		const hears = `const heard = [];
await definePlugin({ id, version: '1.0.0', manifest: { needsEvents: ['news'] },
	onEvent: ({ topic, eventType, payload }) => void heard.push([topic, eventType, payload]),
	tools: {
		say: tool(async (payload, { orchestrator }) => { await orchestrator.publish('news', 'said', payload); return 'said'; }),
		heard: tool(() => JSON.stringify(heard)),
	},
}).run();`;
		const client = await configuredFolder({ plugins: [plugin('tools.hears', hears)] }).open();
		// The registration may come after the first call.
		await until('it hears', async () => {
			await callText(client, 'say', { n: 1 });
			return (await callText(client, 'heard')).startsWith('[["news","said",{"n":1}]');
		});
	});

	it.runIf(runsAllTests)(
		'runs in the folder of the file that names it, for any working folder of the hub',
		async () => {
			const { folder } = configuredFolder({
				plugins: [
					pluginWith(
						'tools.where',
						`where: tool(() => process.cwd() + ' ' + process.env.ORCHESTRA_WORKSPACE)`,
					),
				],
			});
			const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"where"}}';
			const file = join(folder, 'orchestra.json');
			const env = { HOME: temporaryFolder() };
			const { stdout } = await mctl(['serve', '--config', file], {
				cwd: temporaryFolder(),
				env,
				input: call,
			});
			expect(JSON.parse(stdout).result.content[0].text).toBe(`${realpathSync(folder)} ${folder}`);
		},
	);

	it.runIf(runsAllTests)('gets the arguments of its entry, flags of its own included', async () => {
		const own = pluginWith('tools.own', `args: tool(() => process.argv.slice(2, 5).join(' '))`) as {
			id: string;
			args: string[];
		};
		const { open } = configuredFolder({
			plugins: [{ ...own, args: [...own.args, '--workspace=.', '-depth', '3'] }],
		});
		expect(await callText(await open(), 'args')).toBe('--workspace=. -depth 3');
	});

	it.runIf(runsAllTests)('finds its certificates in the configured folder', async () => {
		const certsDir = join(temporaryFolder(), 'certs');
		const { open, home } = configuredFolder({
			hub: { certsDir },
			plugins: [pluginWith('tools.a', `a: tool(() => 'a')`)],
		});
		expect(await callText(await open(), 'a')).toBe('a');
		expect(readdirSync(certsDir)).toEqual(
			expect.arrayContaining(['ca.crt', 'tools.a.crt', 'tools.a-client.crt', 'orchestrator-to-tools.a.crt']),
		);
		expect(existsSync(join(home, '.orchestra'))).toBe(false);
	});

	it.runIf(runsAllTests)(
		'that prints READY late does not delay the list, and clients are notified when it is ready',
		async () => {
			const signal = join(temporaryFolder(), 'go');
			const late = plugin(
				'tools.late',
				`import { existsSync } from 'node:fs';
while (!existsSync(${JSON.stringify(signal)})) await new Promise((done) => setTimeout(done, 20));
await definePlugin({ id, version: '1.0.0', tools: { late: tool(() => 'late') } }).run();`,
			);
			const { open, received } = configuredFolder({
				limits: { listMs: 300 },
				plugins: [late, pluginWith('tools.quick', `quick: tool(() => 'quick')`)],
			});
			const client = await open();
			await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
			expect(await callText(client, 'quick')).toBe('quick');
			const names = tools(await client.request('tools/list'));
			expect([names.includes('quick'), names.includes('late')]).toEqual([true, false]);
			const waiting = callText(client, 'late');
			writeFileSync(signal, '');
			expect(await waiting).toBe('late');
			await until('the change is announced', () => received.includes('notifications/tools/list_changed'));
			expect(tools(await client.request('tools/list'))).toContain('late');
		},
	);

	it('that crashed is waited for by the next call, and one that is down is named with the reason', async () => {
		const { open } = configuredFolder({
			plugins: [
				pluginWith('tools.moody', `die: tool(() => process.exit(7)), fine: tool(() => 'fine')`),
				plugin('tools.broken', `console.error('no disk'); process.exit(3);`),
			],
		});
		const client = await open();
		expect(await callText(client, 'fine')).toBe('fine');
		const died = rpcErrorOf(await thrownBy(() => client.request('tools/call', { name: 'die' })));
		expect(died).toMatchObject({
			message: expect.stringContaining('exited with code 7'),
			data: { outcome: 'unknown' },
		});
		expect(await callText(client, 'fine')).toBe('fine');
		const unknown = rpcErrorOf(await thrownBy(() => client.request('tools/call', { name: 'nope' })));
		expect(unknown).toMatchObject({ code: -32602 });
		expect(unknown?.message).toMatch(
			/^Unknown tool: nope\..*tools\.broken is down and is (?:being )?started again.*no disk/s,
		);
	});

	it('gets arguments nested up to the limit, and an error beyond it', async () => {
		const { open } = configuredFolder({
			plugins: [
				pluginWith(
					'tools.deep',
					`depth: tool((input) => String(JSON.stringify(input).split('{').length - 1))`,
				),
			],
		});
		const client = await open();
		expect(await callText(client, 'depth', nested(60))).toBe('60');
		const error = rpcErrorOf(
			await thrownBy(() => client.request('tools/call', { name: 'depth', arguments: nested(200) })),
		);
		expect(error).toMatchObject({ code: -32602, message: 'a value is nested deeper than 100 levels' });
		expect(await callText(client, 'depth', nested(3))).toBe('3');
	});

	it('cannot register under the id of another plugin', async () => {
		const impostor = plugin(
			'tools.impostor',
			`import { loadIdentity, PluginClient } from ${JSON.stringify(join(import.meta.dirname, '../../dist/plugin/index.js'))};
const flag = (name) => process.argv.find((word) => word.startsWith('--' + name + '=')).split('=')[1];
const register = async (claimed) => {
	const identity = await loadIdentity(flag('certs-dir'), 'tools.impostor-client');
	const client = await PluginClient.connect({ address: flag('orchestrator-addr'), identity });
	const value = { id: claimed, providesStorage: ['markdown'] };
	const answer = await client.ask({ case: 'register', value }, 'register');
	await client.close();
	return answer.accepted + ' ' + answer.rejectReason;
};
await definePlugin({ id, version: '1.0.0', tools: { claim: tool(({ name }) => register(name)) } }).run();`,
		);
		const { open } = configuredFolder({
			plugins: [impostor, pluginWith('tools.honest', `honest: tool(() => 'x')`)],
		});
		const client = await open();
		expect(await callText(client, 'claim', { name: 'tools.honest' })).toBe(
			'false the certificate of this link is for "tools.impostor-client", so it cannot register as "tools.honest"',
		);
		expect(await callText(client, 'claim', { name: 'tools.impostor' })).toBe('true ');
	});

	it('that provides markdown is the storage of other plugins and of the resources, with the same versions', async () => {
		const { open, folder, received } = configuredFolder({
			plugins: [
				plugin('storage.memory', memoryStorage, { provides_storage: ['markdown'] }),
				plugin('tools.second', second, { depends_on: ['storage.memory'] }),
			],
		});
		const client = await open();
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await client.request('resources/list');
		expect(await callText(client, 'keep', { text: 'one' })).toBe('1 one');
		await until('the new resource is announced', () =>
			received.includes('notifications/resources/list_changed'),
		);
		expect(await callText(client, 'keep', { text: 'two' })).toBe('2 two');
		const list = JSON.stringify(await client.request('resources/list'));
		expect(list).toContain('"orchestra://notes/today"');
		expect(await client.request('resources/read', { uri: 'orchestra://notes/today' })).toMatchObject({
			contents: [{ text: 'two', _meta: { 'orchestra/version': 2 } }],
		});
		const missing = await thrownBy(() => client.request('resources/read', { uri: 'orchestra://notes/none' }));
		expect(rpcErrorOf(missing)).toMatchObject({ code: -32602 });
		expect(existsSync(join(folder, '.projects'))).toBe(false);
	});

	it('that provides AI is called by its provider or its own name, never without one', async () => {
		const ai = (id: string, provider: string): object =>
			plugin(
				id,
				`const ask = async (_input, { orchestrator, provider }) => ${JSON.stringify(provider)};
await definePlugin({ id, version: '1.0.0', tools: { ai_prompt: tool(ask) } }).run();`,
				{ provides_ai: [provider] },
			);
		const { open } = configuredFolder({
			plugins: [
				ai('ai.openai', 'openai'),
				ai('ai.claude', 'claude'),
				pluginWith(
					'tools.asks',
					`ask: tool(async ({ provider = '' }, { orchestrator }) => {
	const value = { toolName: 'ai_prompt', arguments: {}, provider };
	const { success, result, errorCode, errorMessage } = await orchestrator.ask({ case: 'toolCall', value }, 'toolCall');
	return success ? result.text : errorCode + ' ' + errorMessage;
})`,
				),
			],
		});
		const client = await open();
		const answers = [];
		for (const provider of ['', 'openai', 'grok', 'nobody'])
			answers.push(await callText(client, 'ask', { provider }));
		const none = 'tool_not_found no plugin provides tool "ai_prompt"';
		expect(answers).toEqual([none, 'openai', 'openai', 'claude']);
		const error = rpcErrorOf(await thrownBy(() => client.request('tools/call', { name: 'ai_prompt' })));
		expect(error?.message).toContain('Unknown tool: ai_prompt');
		expect(await callText(client, 'ai.openai__ai_prompt')).toBe('openai');
	});
});

describe('plugins written in Go', () => {
	let go: Awaited<ReturnType<typeof buildGoPeer>>;
	beforeAll(async () => {
		go = await buildGoPeer();
	});

	it.runIf(runsAllTests)(
		'are all ready at the first and at the second start, beside others',
		async ({ skip }) => {
			if ('reason' in go) return skip(go.reason);
			const others = [1, 2, 3, 4].map((n) => pluginWith(`tools.js${n}`, `js${n}: tool(() => 'js')`));
			const { open } = configuredFolder({
				plugins: [{ id: 'tools.go', binary: go.program, args: ['plugin'] }, ...others],
			});
			const names = ['go_tool', 'js1', 'js2', 'js3', 'js4'];
			for (let start = 0; start < 2; start++) {
				const client = await open();
				await until('every plugin is there', async () => {
					const found = tools(await client.request('tools/list'));
					return names.every((name) => found.includes(name));
				});
				expect(await callText(client, 'go_tool')).toBe('go ran go_tool');
				await client.close();
			}
		},
	);
});

/** A plugin that uses everything the hub has for plugins. */
const second = `await definePlugin({ id, version: '1.0.0', tools: {
	keep: tool(async ({ text }, { orchestrator }) => {
		const version = await orchestrator.write('notes/today.md', text);
		const found = await orchestrator.read('notes/today.md');
		return version + ' ' + Buffer.from(found.content).toString();
	}),
	ask_first: tool(async (_input, { orchestrator }) => (await orchestrator.callTool('hello', {})).value.text),
	publish_and_hear: tool(async (_input, { orchestrator }) => {
		const client = await orchestrator.register();
		const value = { subscriptionId: 's', topic: 'news' };
		for await (const { response } of client.sendStream({ request: { case: 'subscribe', value } })) {
			if (response.case !== 'eventDelivery') continue;
			if (response.value.payload) return JSON.stringify(response.value.payload);
			await orchestrator.publish('news', 'test', { n: 1 });
		}
	}),
} }).run();`;

/** Storage in memory, with versions as the protocol has them. */
const memoryStorage = `const files = new Map();
const found = (path) => {
	const file = files.get(path);
	if (!file) throw toolFailure('file not found: ' + path, { code: 'storage_error' });
	return file;
};
await definePlugin({ id, version: '1.0.0', storage: {
	types: ['markdown'],
	storageRead: ({ path }) => found(path),
	storageWrite: ({ path, content, metadata }) => {
		const version = (files.get(path)?.version ?? 0n) + 1n;
		files.set(path, { content, metadata, version });
		return { success: true, newVersion: version };
	},
	storageDelete: ({ path }) => ({ success: files.delete(found(path) && path) }),
	storageList: ({ prefix }) => ({ entries: [...files].filter(([path]) => path.startsWith(prefix))
		.map(([path, { version, content }]) => ({ path, version, size: BigInt(content.length) })) }),
} }).run();`;

function nested(depth: number): object {
	let value: object = {};
	for (let n = 1; n < depth; n++) value = { a: value };
	return value;
}
