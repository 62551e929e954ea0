/* Modern calls over HTTP that pass as text give the same as those that are parsed. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import {
	encodedRequest,
	modernRequest,
	openListener,
	openSocket,
	type SendOptions,
	send,
} from '../support/http-listener.ts';
import { gateway, type ServedHub, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const call = (name: string, input: object = {}, more: object = {}): SendOptions =>
	modernRequest('tools/call', { name: `gate__${name}`, arguments: input }, more);

describe.each(['normal', 'modern'])('a modern call over HTTP to a server (%s)', (how) => {
	it.each<[string, SendOptions, number]>([
		['a result', call('echo', { text: 'hé' }), 1],
		['a result that failed', call('echo', { raw: '"result":{"content":[],"isError":true}' }), 1],
		['an id that is a text', call('params', {}, { id: 'k"1' }), 0],
		['an error', call('fail'), 1],
		['progress', call('steps', {}, { meta: { progressToken: 'mine' } }), 1],
		['log messages', call('steps', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }), 1],
		['a large result', call('big'), 1],
		['a tool that is unknown', call('none'), 0],
		['a name that is not the one of its header', withHeader('Mcp-Name', 'gate__pid'), 0],
		['a version that is not the one of its header', withHeader('MCP-Protocol-Version', '2099-01-01'), 0],
		['a method that is not the one of its header', withHeader('Mcp-Method', 'tools/list'), 0],
	])('is answered alike on both routes: %s', async (_what, request, plainCalls) => {
		const [plain, general] = [await openSide(how, false), await openSide(how, true)];
		expect(await plain.answer(request)).toEqual(await general.answer(request));
		expect([plain.plainCount(), general.plainCount()]).toEqual([plainCalls, 0]);
	});
});

describe('a modern call over HTTP that passes as text', () => {
	it('is canceled at the server when its client disconnects', async () => {
		const { url, served, plainCount } = await openSide('normal', false);
		const socket = openSocket(url);
		socket.write(encodedRequest(url, modernRequest('tools/call', { name: 'gate__hang', arguments: {} })));
		await until('the call at the server', () => served.events('called').length > 0);
		expect(plainCount()).toBe(1);
		socket.destroy();
		await until('the cancellation at the server', () => served.events('canceled').length > 0);
	});

	it('becomes a stream when it takes long', async () => {
		const { url, plainCount } = await openSide('normal', false, { commentMs: 1 });
		const answer = await send(url, call('sleep', { ms: 600 }));
		expect(answer.isStream).toBe(true);
		expect(await answer.messages()).toMatchObject([{ id: 1, result: { content: [{ text: 'slept' }] } }]);
		expect(plainCount()).toBe(1);
	});
});

interface Side {
	readonly url: string;
	readonly served: ServedHub;
	/** What a client sees. */
	answer(request: SendOptions): Promise<unknown>;
	/** Calls that were answered as text or began so. */
	plainCount(): number;
}

/** A listener over a hub whose server runs; the tools are known. */
async function openSide(how: string, isGeneral: boolean, limits = {}): Promise<Side> {
	const journal = fileJournal(join(temporaryFolder(), 'journal.ndjson'), Log.silent);
	const served = await serveServers({ gate: gateway({}, how) }, { journal });
	const { hub } = served.opened;
	if (isGeneral) hub.calls.listen({});
	let plainCount = 0;
	const forwarder = hub.toolForwarder.bind(hub);
	hub.toolForwarder = () => {
		const routes = forwarder();
		return { take: (view, from) => routes.take(view, from) && ++plainCount > 0 };
	};
	const { url } = await openListener({ provider: hub, limits });
	await (await send(url, call('echo', { text: 'starts it' }))).text();
	plainCount = 0;
	return {
		url,
		served,
		answer: async (request) => {
			const answer = await send(url, request);
			const { status, isStream } = answer;
			const type = answer.header('content-type');
			const body = (await answer.text()).replaceAll(/orchestra-\w+|\d+ ms/g, '');
			return { status, isStream, type, body };
		},
		plainCount: () => plainCount,
	};
}

function withHeader(name: string, value: string): SendOptions {
	const request = call('echo', { text: 'x' });
	return { ...request, headers: { ...request.headers, [name]: value } };
}
