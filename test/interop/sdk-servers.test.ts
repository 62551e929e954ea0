/*
 * Servers on every official SDK behind `mctl serve` and `mctl bridge`, with every official client in front: what
 * each pair can do without the hub works through it. One process per client, with all servers.
 *
 * The servers for Python and Go need their SDK: ORCHESTRA_TEST_PYTHON names a python with the package `mcp`, and the
 * Go server is built when its modules can be fetched.
 */

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { goServer, pythonServer, sdkServer } from '../support/interop-servers.ts';
import { type Judge, judges } from '../support/judges.ts';
import { main } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';

const servers: Record<string, object> = {
	one: { ...sdkServer('v1', 'one'), scope: 'session' },
	two: { ...sdkServer('v2', 'two', 'legacy'), scope: 'session' },
	three: sdkServer('v2', 'three', 'modern'),
	four: sdkServer('v1', 'four'),
};

beforeAll(async () => {
	for (const [name, found] of Object.entries({ python: pythonServer('python'), go: await goServer('go') })) {
		if (typeof found === 'string') console.warn(`skipped, the ${name} server of the interop tests: ${found}`);
		else servers[name] = { ...found, scope: 'session' };
	}
});

const clients = Object.entries(judges);
/** In a short run the first client uses one way in, and the last client the other. */
const ways: [command: string, clients: typeof clients][] = [
	['serve', runsAllTests ? clients : clients.slice(0, 1)],
	['bridge', runsAllTests ? clients : clients.slice(-1)],
];

describe.each(ways)('through mctl %s', (command, used) => {
	it.each(used)('%s uses everything of the servers of all SDKs', async (_, open) => {
		const toolList = { expose: 'all' };
		const { cwd, env } = openHubPlace({ mcpServers: servers, toolList, limits: { listMs: 30_000 } });
		const path = { PATH: process.env['PATH'] ?? '' };
		const judge = await open({
			command: process.execPath,
			args: [main, command],
			cwd,
			env: { ...path, ...env },
			stderr: 'ignore',
		});
		onTestFinished(() => judge.client.close());
		const { tools } = await judge.client.listTools();
		const offered = new Set(tools.map(({ name }) => name));
		await Promise.all(Object.keys(servers).map((server) => useBasics(judge, server, offered)));
		for (const server of Object.keys(servers)) await useAll(judge, server);
	});
});

/** What each server must do. */
async function useBasics(judge: Judge, server: string, offered: ReadonlySet<string>): Promise<void> {
	const { client } = judge;
	const call = callerOf(judge, server);
	expect(offered).toContain(`${server}__echo`);
	expect(await call('echo', { text: 'é\u2028' })).toBe('é\u2028');
	const sum = await client.callTool({ name: `${server}__sum`, arguments: { a: 1, b: 2 } });
	expect(sum).toMatchObject({ structuredContent: { sum: 3 } });
	await reportsProgress(call, server);
	await cancels(call, server);
	await reads(judge, server);
	const name = `${server}__hello`;
	expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toContain(name);
	const { messages } = await client.getPrompt({ name, arguments: { who: 'Bo' } });
	expect(messages).toMatchObject([{ content: { text: 'Hello Bo' } }]);
}

/** What a client may be asked and notified of. */
async function useAll(judge: Judge, server: string): Promise<void> {
	const call = callerOf(judge, server);
	const logs = judge.heard.filter((line) => line.startsWith(`log ${server} `));
	expect(logs, `logs of ${server}`).toEqual([1, 2, 3].map((step) => `log ${server} step ${step}`));
	expect(await call('ask'), server).toBe('accept Ann');
	expect(await call('sample'), server).toBe('Hello from the model');
	expect(await call('roots'), server).toMatch(/^file:\/\/\/project\/?$/);
	const ref = { type: 'ref/prompt' as const, name: `${server}__hello` };
	const { completion } = await judge.client.complete({ ref, argument: { name: 'who', value: 'An' } });
	expect(completion.values, server).toEqual(['Ann', 'Anton']);

	await grows(judge, server);
	// Last: with the Go SDK 1.8, the end of one subscription ends the list changes of all others of the session.
	await subscribes(judge, server);
}

async function grows(judge: Judge, server: string): Promise<void> {
	const notified = (): number => judge.heard.filter((line) => line === 'tools').length;
	const before = notified();
	await callerOf(judge, server)('grow');
	await until(`the tools of ${server} have changed`, async () => {
		const isListed = (await judge.client.listTools()).tools.some(({ name }) => name === `${server}__grown`);
		return isListed && notified() > before;
	});
}

type Call = (name: string, input?: object, options?: object) => Promise<string>;

/** A canceled call is canceled at the server. */
async function cancels(call: Call, server: string): Promise<void> {
	const abort = new AbortController();
	const onprogress = (): void => abort.abort();
	await expect(call('hang', {}, { signal: abort.signal, onprogress })).rejects.toThrow();
	await until(`${server} is canceled`, async () => Number(await call('canceled')) > 0);
}

async function reads({ client }: Judge, server: string): Promise<void> {
	const uri = `${server}://note`;
	expect((await client.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
	const { resourceTemplates } = await client.listResourceTemplates();
	expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(`${server}://item/{id}`);
	const texts = [uri, `${server}://item/7`].map(
		async (each) => (await client.readResource({ uri: each })).contents,
	);
	expect(await Promise.all(texts)).toMatchObject([[{ text: `${server} note` }], [{ text: 'item 7' }]]);
}

async function subscribes(judge: Judge, server: string): Promise<void> {
	const uri = `${server}://note`;
	await judge.subscribe(uri);
	await callerOf(judge, server)('touch');
	await until(`${uri} is updated`, () => judge.heard.includes(`updated ${uri}`));
	expect((await judge.client.readResource({ uri })).contents).toMatchObject([{ text: `${server} touched` }]);
}

async function reportsProgress(call: Call, server: string): Promise<void> {
	const steps: number[] = [];
	const onprogress = ({ progress }: { progress: number }): void => {
		if (steps.push(progress) === 3) void call('go');
	};
	expect(await call('steps', {}, { onprogress })).toBe('done');
	expect(steps, `progress of ${server}`).toEqual([1, 2, 3]);
}

/** Calls a tool of a server, and returns the text of its result. */
function callerOf({ client, meta }: Judge, server: string): Call {
	return async (name, input = {}, options = {}) => {
		const params = { name: `${server}__${name}`, arguments: { ...input }, _meta: meta };
		const { content } = (await client.callTool(params, options)) as { content: { text: string }[] };
		return content[0]?.text ?? '';
	};
}
