/*
 * Remote servers of the official SDK behind the hub, driven by its clients: every
 * server, every client, and every way into the hub. Each cell of the table is one
 * feature of one server.
 */

import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../../support/all-tests.ts';
import { type HubPlace, openHubPlace } from '../../support/hub-place.ts';
import { type Judge, type JudgeTransports, judgeModes, openJudge } from '../../support/official-clients.ts';
import { type RemoteKind, type RemoteMcpServer, serveRemote } from '../../support/remote-servers.ts';
import { until } from '../../support/waiting.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
/** A busy machine may be slow; a message that is lost never arrives. */
const ARRIVES_MS = 15_000;

type Servers = Record<string, RemoteMcpServer>;

const fronts: Record<string, (place: HubPlace) => JudgeTransports | Promise<JudgeTransports>> = {
	'mctl serve': (place) => stdioFront(place, 'serve'),
	'mctl bridge': (place) => stdioFront(place, 'bridge'),
	'/mcp': (place) => httpFront(place, ''),
};

describe.each(runsAllTests ? Object.entries(fronts) : Object.entries(fronts).slice(1))(
	'remote servers behind %s',
	(name, open) => {
		// In a short run each way in has one client.
		const one = name === '/mcp' ? judgeModes.slice(0, 1) : judgeModes.slice(-1);

		it.each(runsAllTests ? judgeModes : one)('work with %s', async (mode) => {
			const { place, servers } = await openPlace();
			const judge = await openJudge(mode, await open(place));
			expect(await tryAll(judge, servers)).toEqual(everythingWorks(servers));
		});
	},
);

describe.runIf(runsAllTests)('one remote server at /mcp/<server>', () => {
	it.each(judgeModes)('has its own names for %s', async (mode) => {
		const { place, servers } = await openPlace();
		const judge = await openJudge(mode, await httpFront(place, '/modern'));
		const { modern } = servers;
		if (modern === undefined) throw new Error('it is served');
		await judge.subscribe([modern.note]);
		expect(await tryServer(judge, '', modern)).toEqual(works);
	});
});

/** The entries: with a type, and with only the URL. */
async function openPlace(): Promise<{ place: HubPlace; servers: Servers }> {
	const kinds: Record<string, RemoteKind> = {
		old: 'v1',
		sse: 'v1-sse',
		plain: 'v2-legacy',
		modern: 'v2-modern',
	};
	const types: Record<string, object> = {
		old: { type: 'http' },
		sse: { type: 'sse' },
		modern: { type: 'http' },
	};
	const servers: Servers = {};
	const mcpServers: Record<string, object> = {};
	for (const [name, kind] of Object.entries(kinds)) {
		const server = await serveRemote(kind);
		servers[name] = server;
		mcpServers[name] = { ...types[name], url: server.url };
	}
	return { place: openHubPlace({ mcpServers, limits: { listMs: ARRIVES_MS } }), servers };
}

function stdioFront({ cwd, env }: HubPlace, command: string): JudgeTransports {
	const options = {
		command: process.execPath,
		args: [main, command],
		cwd,
		env: { PATH: process.env['PATH'] ?? '', ...env },
		stderr: 'ignore' as const,
	};
	return { v1: () => new StdioV1(options), v2: () => new StdioV2(options) };
}

async function httpFront(place: HubPlace, path: string): Promise<JudgeTransports> {
	const { stdout, stderr } = await place.run('hub', 'start', '--http', '--json');
	if (stdout === '') throw new Error(stderr);
	const url = new URL(`${JSON.parse(stdout).httpUrl}${path}`);
	const token = (await place.run('hub', 'token')).stdout.trim();
	const requestInit = { headers: { Authorization: `Bearer ${token}` } };
	return {
		v1: () => new HttpV1(url, { requestInit }),
		v2: () => new HttpV2(url, { requestInit }),
	};
}

const features = {
	async lists({ judge, prefix }: Cell) {
		expect(await judge.toolNames()).toEqual(expect.arrayContaining([`${prefix}echo`, `${prefix}hang`]));
	},
	async calls({ judge, prefix, server }: Cell) {
		const text = 'naïve ✓'.repeat(1000);
		expect(await judge.call(`${prefix}echo`, { text })).toBe(text);
		expect(server.echoed).toBe(1);
	},
	async reads({ judge, server }: Cell) {
		expect(await judge.readText(server.note)).toBe('a note');
	},
	async asks({ judge, prefix }: Cell) {
		expect(await judge.call(`${prefix}greet`)).toBe('Hello, Ann!');
	},
	async progresses({ judge, prefix, server }: Cell) {
		const seen: number[] = [];
		const call = judge.call(`${prefix}steps`, {}, { onprogress: ({ progress }) => void seen.push(progress) });
		await until('all progress arrived before the result', () => seen.includes(2));
		server.finishSteps();
		expect(await call).toBe('done');
		expect(seen).toEqual([1, 2]);
	},
	async cancels({ judge, prefix, server }: Cell) {
		const stop = new AbortController();
		const call = judge.call(`${prefix}hang`, {}, { signal: stop.signal });
		await until('it runs', () => server.hanging === 'begun');
		stop.abort();
		await expect(call).rejects.toThrow();
		await until('the server got the cancellation', () => server.hanging === 'canceled');
	},
	async logs({ judge, prefix }: Cell) {
		const before = judge.logged.length;
		await judge.call(`${prefix}chat`);
		await until('the log message arrived', () => judge.logged.length > before);
		expect(judge.logged.at(-1)).toBe('trouble');
	},
	async changes({ judge, prefix, server }: Cell) {
		const before = judge.toolChanges();
		const name = server.addTool();
		await until('the change of tools arrived', () => judge.toolChanges() > before);
		expect(await judge.toolNames()).toContain(`${prefix}${name}`);
		expect(await judge.call(`${prefix}${name}`)).toBe(name);
	},
	async updates({ judge, server }: Cell) {
		server.updateNote();
		await until('the update of the resource arrived', () => judge.updated.includes(server.note));
	},
};

interface Cell {
	judge: Judge;
	prefix: string;
	server: RemoteMcpServer;
}

const works = Object.fromEntries(Object.keys(features).map((feature) => [feature, 'works']));

function everythingWorks(servers: Servers): object {
	return Object.fromEntries(Object.keys(servers).map((name) => [name, works]));
}

async function tryAll(judge: Judge, servers: Servers): Promise<object> {
	await judge.toolNames();
	await judge.subscribe(Object.values(servers).map(({ note }) => note));
	const found: Record<string, object> = {};
	for (const [name, server] of Object.entries(servers))
		found[name] = await tryServer(judge, `${name}__`, server);
	return found;
}

/** What happened to each feature: `works`, or the first line of the failure. */
async function tryServer(judge: Judge, prefix: string, server: RemoteMcpServer): Promise<object> {
	const found: Record<string, string> = {};
	for (const [feature, run] of Object.entries(features)) {
		try {
			await run({ judge, prefix, server });
			found[feature] = 'works';
		} catch (error) {
			found[feature] = String(error).slice(0, 600);
		}
	}
	return found;
}
