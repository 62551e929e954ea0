/* What the hub lists of MCP servers: from what is known, with as few processes as possible. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driftingServer } from '../../support/drifting-servers.ts';
import { gateway, type HubClient, serveServers } from '../../support/served-hub.ts';
import { nextTurn, until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

async function names(client: HubClient, kind = 'tools'): Promise<string[]> {
	const list = (await client.request(`${kind}/list`))[kind] as { name: string }[];
	return list.map(({ name }) => name).filter((name) => name.includes('__'));
}

describe('the lists of an MCP server', () => {
	it('are read from a server that was never seen, with prefixed names', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client();
		expect(await names(client)).toContain('gate__echo');
		expect(await names(client, 'prompts')).toEqual(['gate__hello']);
		expect(served.events('start')).toHaveLength(1);
	});

	it('are answered from disk by the next hub, with no process started', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		const served = await first.again();
		const client = await served.client();
		expect(await names(client)).toContain('gate__echo');
		const { resources } = await client.request('resources/list');
		expect(resources).toContainEqual({ uri: 'note://one', name: 'one' });
		const { resourceTemplates } = await client.request('resources/templates/list');
		expect(resourceTemplates).toContainEqual({ uriTemplate: 'note://by-id/{id}', name: 'by id' });
		served.opened.hub.warm();
		expect(served.opened.hub.processes()).toEqual([]);
		expect(served.events('start')).toHaveLength(1);
	});

	it('are cached with the era, so that the next start sends no probe, until the verdict expires', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		const second = await first.again();
		await (await second.client()).call('gate__echo', { text: 'x' });
		expect([second.events('start').length, second.events('probe').length]).toEqual([2, 1]);
		await second.close();
		const [file = ''] = readdirSync(first.servers).filter((name) => name.endsWith('.json'));
		const known = JSON.parse(readFileSync(join(first.servers, file), 'utf8'));
		writeFileSync(join(first.servers, file), JSON.stringify({ ...known, eraProvenAt: 1 }));
		const third = await second.again();
		await (await third.client()).call('gate__echo', { text: 'x' });
		expect([third.events('start').length, third.events('probe').length]).toEqual([3, 2]);
	});

	it('are cached in files that only the user can read, without values of the environment', async () => {
		const served = await serveServers({ gate: gateway({}, 'normal', { SECRET: 'hunter2' }) });
		await names(await served.client());
		const [file = ''] = readdirSync(served.servers).filter((name) => name.endsWith('.json'));
		expect(statSync(join(served.servers, file)).mode & 0o777).toBe(0o600);
		const text = readFileSync(join(served.servers, file), 'utf8');
		expect(text).not.toContain('hunter2');
		expect(JSON.parse(text)).toMatchObject({ era: 'legacy', instructions: 'Use gateway with care.' });
	});

	it('are read again when the file is damaged, with one warning', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		await first.close();
		const [file = ''] = readdirSync(first.servers).filter((name) => name.endsWith('.json'));
		writeFileSync(join(first.servers, file), '{"tools":[', { mode: 0o600 });
		const served = await first.again();
		expect(await names(await served.client())).toContain('gate__echo');
		expect(served.log.filter((line) => line.includes('is damaged'))).toHaveLength(1);
	});

	it('are read again in the background when they are out of date, after the first answer', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		await first.close();
		const [file = ''] = readdirSync(first.servers).filter((name) => name.endsWith('.json'));
		const known = JSON.parse(readFileSync(join(first.servers, file), 'utf8'));
		writeFileSync(join(first.servers, file), JSON.stringify({ ...known, tools: [], listedAt: 1 }));
		const served = await first.again();
		const client = await served.client();
		expect(await names(client)).toEqual([]);
		expect(served.events('start')).toHaveLength(1);
		served.opened.hub.warm();
		await until('the client is notified', () =>
			client.notifications.some(({ method }) => method === 'notifications/tools/list_changed'),
		);
		expect(await names(client)).toContain('gate__echo');
		await until('the process is stopped', () => served.opened.hub.processes().length === 0);
	});

	it('that are out of date are read again only when the first list is answered', async () => {
		const old = gateway();
		const first = await serveServers({ old });
		await names(await first.client());
		await first.close();
		const [file = ''] = readdirSync(first.servers).filter((name) => name.endsWith('.json'));
		const known = JSON.parse(readFileSync(join(first.servers, file), 'utf8'));
		writeFileSync(join(first.servers, file), JSON.stringify({ ...known, listedAt: 1 }));
		const fresh = gateway({}, 'normal', { START_MS: '300' });
		const served = await serveServers({ old, fresh }, { folder: first.folder });
		served.opened.hub.warm();
		expect(await names(await served.client())).toContain('fresh__echo');
		expect(served.events('start')).toHaveLength(2);
		await until('the old one is read again', () => served.events('list').length === 3);
	});

	it('that change in a burst are read first, and reported once to each client that asked', async () => {
		const served = await serveServers({ gate: gateway() });
		const [one, two, other] = [await served.client(), await served.client(), await served.client()];
		const modern = await served.client({ era: 'modern' });
		const listening = modern.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
		listening.catch(() => {}); // it ends with the client
		for (const client of [one, two]) await names(client);
		await until('the subscription is acknowledged', () => modern.notifications.length === 1);
		const lists = served.events('list').length;
		await one.call('gate__change', { times: 50 });
		for (const client of [one, two, modern]) {
			await until('it is notified', () => changes(client) === 1);
			expect(await names(client)).toContain('gate__extra');
		}
		// Longer than the gap between two reads, and between two notifications.
		await other.call('gate__sleep', { ms: 1500 });
		expect([one, two, modern, other].map(changes)).toEqual([1, 1, 1, 0]);
		expect(served.events('list').length - lists).toBeLessThanOrEqual(2);
	});

	it('keep what is known of a list that fails', async () => {
		const env = { MARK: join(temporaryFolder(), 'mark') };
		const first = await serveServers({ gate: gateway({}, 'forgets', env) });
		await names(await first.client(), 'prompts');
		await first.close();
		writeFileSync(env.MARK, '');
		const served = await first.again();
		const client = await served.client();
		expect(await names(client, 'prompts')).toEqual(['gate__hello']);
		expect(await names(client)).toContain('gate__echo');
		await client.call('gate__echo', { text: 'starts it' });
		await until('the list failed', () => served.log.some((line) => line.includes('no prompts today')));
		await client.call('gate__change');
		await until('the client is notified', () => client.notifications.length > 0);
		expect(client.notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
		expect(await names(client, 'prompts')).toEqual(['gate__hello']);
	});

	it('with pages without end are given up after the total time of a call', async () => {
		const env = { LIST_MS: '50' };
		const served = await serveServers({ gate: gateway({ maxMs: 300, restart: false }, 'pages', env) });
		expect(await names(await served.client())).toEqual([]);
		expect(served.log.join('\n')).toMatch(/could not list its items: .* within its total time/);
	});

	it('with a TTL of 0 start no process for each list', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }, 'normal', { TTL_MS: '0' }) });
		const client = await served.client();
		await names(client);
		await until('the process for lists is stopped', () => served.opened.hub.processes().length === 0);
		served.opened.hub.warm();
		for (let round = 0; round < 3; round++) {
			expect(await names(client)).toContain('gate__echo');
			expect(served.opened.hub.processes()).toEqual([]);
			await nextTurn();
		}
		expect(served.opened.hub.sources.map(({ status }) => status.state)).not.toContain('starting');
	});

	it('do not wait for a server that hangs, and follow when it is ready', async () => {
		const served = await serveServers(
			{ slow: gateway({}, 'normal', { START_MS: '700' }), quick: gateway(), stuck: gateway({}, 'hangs') },
			{ more: { limits: { listMs: 400 } } },
		);
		const client = await served.client();
		expect((await names(client)).filter((name) => !name.startsWith('quick__'))).toEqual([]);
		await until('the late server is listed', async () => (await names(client)).includes('slow__echo'));
		await until('the client is notified', () => client.notifications.length > 0);
	});

	it('that are late delay a request for an item that only they can have', async () => {
		const slow = gateway({}, 'normal', { START_MS: '700' });
		const served = await serveServers({ slow }, { more: { limits: { listMs: 100 } } });
		const client = await served.client();
		const ref = { type: 'ref/prompt', name: 'slow__hello' };
		expect(
			await Promise.all([
				client.request('prompts/get', { name: 'slow__hello', arguments: { who: 'Ann' } }),
				client.request('completion/complete', { ref, argument: { name: 'who', value: 'A' } }),
				client.request('resources/read', { uri: 'note://one' }),
			]),
		).toMatchObject([
			{ messages: [{ content: { text: 'Hello Ann' } }] },
			{ completion: { values: ['hello:A'] } },
			{ contents: [{ uri: 'note://one' }] },
		]);
	});

	it('have only allowed tools, under their new names', async () => {
		const settings = { allow: ['e*', 'p*', 'ask'], deny: ['params'], rename: { echo: 'say' } };
		const served = await serveServers({
			gate: gateway(settings),
			bare: gateway({ prefix: false, allow: ['pid'] }),
		});
		const client = await served.client();
		const list = (await client.request('tools/list'))['tools'] as { name: string }[];
		const ours = list.map(({ name }) => name).filter((name) => name.startsWith('gate__') || name === 'pid');
		expect(ours).toEqual(['gate__ask', 'gate__pid', 'gate__say', 'pid']);
		expect(await client.call('gate__say', { text: 'hi' })).toBe('hi');
		expect((await client.failure('gate__params')).message).toContain('Unknown tool: gate__params');
	});

	it('leave out a tool whose name a rename gave to another, with a warning', async () => {
		const rename = { echo: 'pid', pid: 'echo', level: 'count', die: 'sleep' };
		const settings = { allow: ['echo', 'pid', 'level', 'count', 'sleep'], rename, pin: 'off' };
		const served = await serveServers({ gate: gateway(settings) });
		const client = await served.client();
		const list = (await client.request('tools/list'))['tools'] as { name: string }[];
		expect(list.map(({ name }) => name)).toEqual(['gate__count', 'gate__echo', 'gate__pid', 'gate__sleep']);
		expect(await client.call('gate__count')).toBe('none');
		expect(await client.call('gate__pid', { text: 'swapped' })).toBe('swapped');
		expect(await client.call('gate__sleep', { ms: 1 })).toBe('slept');
		const warnings = served.log.filter((line) => line.includes('is left out'));
		expect(warnings).toEqual([
			expect.stringContaining('"count" of gate is left out: `rename` gives its name to "level"'),
		]);
	});

	it('leave out a tool that is nested too deeply, with a warning and the reason in the result of a call', async () => {
		let inputSchema: object = { type: 'string' };
		for (let level = 0; level < 150; level++)
			inputSchema = { type: 'object', properties: { inner: inputSchema } };
		const served = await serveServers({ docs: driftingServer({ flat: 'x', deep: { inputSchema } }).entry() });
		const client = await served.client();
		expect(await names(client)).toEqual(['docs__flat']);
		const reason = 'is left out: it is nested more than 64 levels deep';
		expect(served.log.filter((line) => line.includes(`tools/list: "deep" ${reason}`))).toHaveLength(1);
		const text = `"deep" of docs ${reason}`;
		const called = await client.request('tools/call', { name: 'docs__deep', arguments: {} });
		expect(called).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
	});

	it('that a hub no longer waits for at its end are no warning', async () => {
		const changing = fileURLToPath(new URL('../../fixtures/servers/hostile-server.mjs', import.meta.url));
		const served = await serveServers({
			slow: gateway({}, 'normal', { START_MS: '3000' }),
			changing: { command: process.execPath, args: [changing, 'changes-each-time'], pin: 'off' },
		});
		const client = await served.client();
		const listed = client.request('tools/list');
		await until('a server is ready', () => served.log.some((line) => line.includes('is ready')));
		await served.close();
		await listed;
		expect(served.log.filter((line) => /WARN|ERROR/.test(line))).toEqual([]);
	});

	it('of a server that changes with each list are read with a pause in between', async () => {
		const changing = fileURLToPath(new URL('../../fixtures/servers/hostile-server.mjs', import.meta.url));
		const served = await serveServers({
			changing: { command: process.execPath, args: [changing, 'changes-each-time'] },
		});
		const client = await served.client();
		await names(client);
		await until('the client was notified twice', () => client.notifications.length > 1);
		const [latest] = (await names(client)).filter((name) => name.startsWith('changing__tool-'));
		expect(Number(latest?.split('-').at(-1))).toBeLessThan(50);
	});

	it('keep the server running when the configuration of another one changes', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client();
		const pid = await client.call('gate__pid');
		const file = join(served.folder, 'orchestra.json');
		const { mcpServers, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
		writeFileSync(file, JSON.stringify({ mcpServers: { ...mcpServers, other: gateway() }, ...rest }));
		await served.opened.reload();
		expect(await names(client)).toContain('other__echo');
		expect(await client.call('gate__pid')).toBe(pid);
	});
});

function changes({ notifications }: HubClient): number {
	return notifications.filter(({ method }) => method === 'notifications/tools/list_changed').length;
}
