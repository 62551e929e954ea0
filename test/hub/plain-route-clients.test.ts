/*
 * Calls of real clients take the plain route: the official SDKs for TypeScript as they run; those for Python and Go,
 * Claude Code and Codex by what they wrote when they were recorded. The journal is on.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Transport as TransportV2 } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { judgeModes, openJudge } from '../support/official-clients.ts';
import { gateway, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const CALLS = 20;
const LEAST_SHARE = 0.95;

describe.each(['normal', 'modern'])('calls to a server that is %s', (how) => {
	it.each(judgeModes)('take the plain route: %s', async (mode) => {
		const { connect, plainCount } = await openHubFor(how);
		const judge = await openJudge(mode, {
			v1: () => sdkTransport(connect()),
			v2: () => sdkTransport(connect()),
		});
		await judge.toolNames();
		await judge.call('gate__echo', { text: 'starts the server' });
		for (let at = 0; at < CALLS; at++) {
			const options = at % 2 === 0 ? {} : { onprogress: () => {} };
			expect(await judge.call('gate__echo', { text: `hé ${at}`, list: [1, { b: null }] }, options)).toBe(
				`hé ${at}`,
			);
		}
		expect(plainCount()).toBeGreaterThanOrEqual(CALLS * LEAST_SHARE);
	});

	it.each(recorded)('take the plain route: %s, as it was recorded', async (file) => {
		const { connect, plainCount } = await openHubFor(how);
		const channel = connect();
		const answered = new Map<unknown, unknown>();
		channel.start({
			message: (text) => {
				const { id, result } = JSON.parse(text) as { id?: unknown; result?: { content?: unknown } };
				if (id !== undefined) answered.set(id, result?.content);
			},
			oversize: () => {},
			end: () => {},
		});
		const calls: Recorded[] = [];
		for (const line of readFileSync(join(recordings, file), 'utf8').trim().split('\n')) {
			const message = JSON.parse(line) as Recorded;
			channel.post(line);
			if (message.id !== undefined) await until(`the answer to ${line}`, () => answered.has(message.id));
			if (message.method === 'tools/call') calls.push(message);
		}
		for (const { id, params } of calls)
			expect(answered.get(id)).toEqual([{ type: 'text', text: params?.arguments.text }]);
		// The first one starts the server.
		expect(plainCount()).toBeGreaterThanOrEqual((calls.length - 1) * LEAST_SHARE);
	});
});

/** The lines that clients wrote to a server with one echo tool. */
const recordings = fileURLToPath(new URL('../fixtures/recorded-calls', import.meta.url));
const recorded = readdirSync(recordings);

interface Recorded {
	readonly id?: unknown;
	readonly method?: string;
	readonly params?: { readonly arguments: { readonly text: string } };
}

/** A hub over one server, and how many calls took the plain route. */
async function openHubFor(how: string): Promise<{ connect: () => Transport; plainCount: () => number }> {
	const journal = fileJournal(join(temporaryFolder(), 'journal.ndjson'), Log.silent);
	const served = await serveServers({ gate: gateway({}, how) }, { journal });
	const { hub } = served.opened;
	let plainCount = 0;
	const forwarder = hub.toolForwarder.bind(hub);
	hub.toolForwarder = () => {
		const routes = forwarder();
		return { take: (view, from) => routes.take(view, from) && ++plainCount > 0 };
	};
	const connect = (): Transport => {
		const [client, theirs] = memoryPair();
		const session = new McpSession(hub);
		const peer = new Peer(theirs, session.peerOptions);
		session.connect(peer);
		theirs.start(peer);
		return client;
	};
	return { connect, plainCount: () => plainCount };
}

/** A transport of the official SDKs over a pair in memory. */
function sdkTransport(channel: Transport): TransportV2 {
	const transport: TransportV2 = {
		start: async () =>
			channel.start({
				// The SDK parses what it gets.
				message: (text) => transport.onmessage?.(JSON.parse(text)),
				oversize: () => {},
				end: () => transport.onclose?.(),
			}),
		send: async (message) => void channel.post(JSON.stringify(message)),
		close: () => channel.close(),
	};
	return transport;
}
