/* What a client lists before a server has answered for the first time. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateway, type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const lists = { limits: { listMs: 50 } };

describe('the lists of a server that was never seen', () => {
	it('are those of the same server in another folder until it answers', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		await first.close();
		const slow = { cwd: join(first.folder, 'state'), env: { STARTS: '${STARTS}', START_MS: '700' } };
		const second = await serveServers({ gate: gateway(slow) }, { folder: first.folder, more: lists });
		const client = await second.client();
		expect(await names(client)).toContain('gate__echo');
		expect(second.events('ready')).toHaveLength(1);
		await until('it is known by itself', () => knownFiles(second).length === 2);
		expect(second.events('ready')).toHaveLength(2);
		expect(await client.call('gate__echo', { text: 'hi' })).toBe('hi');
	});

	it('are those of an older version of this program, and change when it answers', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		await first.close();
		const [file = ''] = knownFiles(first);
		const [latest = ''] = readdirSync(join(first.servers, 'latest'));
		const known = JSON.parse(readFileSync(join(first.servers, file), 'utf8'));
		const [tool] = known.tools;
		const older = { ...known, tools: [{ ...tool, name: 'gone' }] };
		rmSync(join(first.servers, file));
		writeFiles(first.servers, { [`latest/${latest}`]: JSON.stringify(older) });
		const second = await first.again();
		const client = await second.client();
		expect(await names(client)).toEqual(['gate__gone']);
		await until('the client is notified', () => client.notifications.length > 0);
		expect(await names(client)).toContain('gate__echo');
	});

	it('are not those of another program with the same name', async () => {
		const first = await serveServers({ gate: gateway() });
		await names(await first.client());
		await first.close();
		const other = { ...gateway(), command: 'sh', args: ['-c', 'sleep 60'] };
		const second = await serveServers({ gate: other }, { folder: first.folder, more: lists });
		expect(await names(await second.client())).toEqual([]);
	});

	it('do not become pins before it answers', async () => {
		const first = await serveServers({ gate: gateway({ pin: 'quarantine' }) });
		await names(await first.client());
		await first.close();
		const folder = temporaryFolder();
		const hangs = gateway({ pin: 'quarantine' }, 'hangs');
		const second = await serveServers({ gate: hangs }, { folder, more: lists });
		expect(await names(await second.client())).toEqual([]);
		await second.close();
		writeFiles(folder, stateOf(first));
		const third = await second.again();
		expect(await names(await third.client())).toContain('gate__echo');
		third.opened.hub.warm();
		await third.close();
		expect(() => readFileSync(join(folder, 'orchestra.lock'))).toThrow('ENOENT');
	});
});

describe('an entry of the user', () => {
	it('is the same server in every folder', async () => {
		const first = await serveServers({});
		writeFiles(first.folder, {
			'.config/orchestra/config.json': JSON.stringify({ mcpServers: { gate: gateway() } }),
		});
		await first.opened.reload();
		await names(await first.client());
		await first.close();
		const inside = await serveServers({}, { folder: join(first.folder, 'inside'), home: first.folder });
		const client = await inside.client();
		expect(await names(client)).toContain('gate__echo');
		expect(inside.events('start')).toHaveLength(1);
		expect(inside.opened.hub.processes()).toEqual([]);
	});
});

describe('a server that failed last time', () => {
	it('is not waited for, is started in the background, and is listed when it works again', async () => {
		const mark = join(temporaryFolder(), 'broken');
		writeFileSync(mark, '');
		const entry = gateway({ restart: false }, 'breaks', { MARK: mark, START_MS: '300' });
		const first = await serveServers({ gate: entry });
		expect(await names(await first.client())).toEqual([]);
		await first.close();
		rmSync(mark);
		const second = await first.again();
		const client = await second.client();
		expect(await names(client)).toEqual([]);
		expect(second.events('ready')).toEqual([]);
		await until('it is listed', async () => (await names(client)).includes('gate__echo'));
		await second.close();
		expect(readdirSync(second.servers).filter((name) => name.endsWith('.failed'))).toEqual([]);
	});

	it.each([
		['a value of its environment', {}, { TOKEN: 'right' }],
		['a setting', { startMs: 15_000 }, { TOKEN: 'wrong' }],
	])('is waited for when %s was edited since', async (_what, settings, env) => {
		const mark = join(temporaryFolder(), 'broken');
		writeFileSync(mark, '');
		const variables = { MARK: mark, START_MS: '300' };
		const entry = gateway({}, 'breaks', { ...variables, TOKEN: 'wrong' });
		const first = await serveServers({ gate: entry });
		expect(await names(await first.client())).toEqual([]);
		await first.close();
		rmSync(mark);
		const edited = gateway(settings, 'breaks', { ...variables, ...env });
		const second = await serveServers({ gate: edited }, { folder: first.folder });
		expect(await names(await second.client())).toContain('gate__echo');
	});
});

it('retains the reason of a failed start, also when it is not started again', async () => {
	const first = await serveServers({ gate: gateway({ restart: false }, 'exits') });
	const client = await first.client();
	expect(await names(client)).toEqual([]);
	const starts = first.events('start').length;
	for (let times = 0; times < 3; times++) expect(await names(client)).toEqual([]);
	await first.close();
	const [failed = ''] = readdirSync(first.servers).filter((name) => name.endsWith('.failed'));
	const text = readFileSync(join(first.servers, failed), 'utf8');
	expect(text).toContain('exited with code 3');
	expect(text).toContain('fatal: no TOKEN is set');
	expect(text).not.toContain('is down');
	expect(first.events('start')).toHaveLength(starts);
});

async function names(client: HubClient): Promise<string[]> {
	const list = (await client.request('tools/list'))['tools'] as { name: string }[];
	return list.map(({ name }) => name).filter((name) => name.includes('__'));
}

function knownFiles({ servers }: ServedHub): string[] {
	return readdirSync(servers).filter((name) => name.endsWith('.json'));
}

/** The stand-in of the only server, to be written into another folder. */
function stateOf({ servers }: ServedHub): Record<string, string> {
	const [latest = ''] = readdirSync(join(servers, 'latest'));
	const text = readFileSync(join(servers, 'latest', latest), 'utf8');
	return { [`state/orchestra/servers/latest/${latest}`]: text };
}
