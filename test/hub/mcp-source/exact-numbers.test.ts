/* Numbers of servers and clients that a double cannot hold, or that we would write differently. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { IncomingCall } from '../../../src/rpc/calls/incoming-call.ts';
import { JsonText } from '../../../src/wire/json-text.ts';
import { gateway, type HubClient, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const NUMBERS = '{"id":12345678901234567890,"one":1.0,"hundred":1e2}';
const schema = `{"type":"object","properties":{"n":{"type":"integer","default":12345678901234567890}}}`;

const exactServer = {
	command: process.execPath,
	args: [resolve(import.meta.dirname, '../../fixtures/servers/exact-server.mjs')],
};

describe('numbers as they were written', () => {
	it('stay exact in the lists of a server, on disk too', async () => {
		const tool = `{"name":"precise","inputSchema":${schema},"_meta":{"x":${NUMBERS}}}`;
		const first = await serveServers({ gate: gateway({}, 'normal', { RAW_TOOL: tool }) });
		const parts = [`"inputSchema":${schema}`, `"_meta":{"x":${NUMBERS}}`];
		for (const part of parts) expect(await listText(await first.client())).toContain(part);
		const second = await first.again();
		for (const part of parts) expect(await listText(await second.client())).toContain(part);
		expect(second.events('start')).toHaveLength(1);
	});

	it('stay exact in logs and in updates of resources', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		await client.request('logging/setLevel', { level: 'debug' });
		await client.request('resources/list');
		await client.request('resources/subscribe', { uri: 'note://one' });
		for (const raw of [
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${NUMBERS}}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://one","x":${NUMBERS}}}`,
		]) {
			const before = client.lines.length;
			await client.call('gate__update', { uri: 'none', later: { raw } });
			await until('the client has it', () => client.lines.length > before);
			expect(client.lines.at(-1)).toContain(NUMBERS);
		}
	});

	describe.each(['legacy', 'modern'] as const)('with a %s client', (era) => {
		it.each([
			['legacy', () => gateway(), { raw: `{"message":"Who?","requestedSchema":${NUMBERS}}` }],
			['modern', () => exactServer, {}],
		])('stay exact in elicitations of a %s server and their answers', async (_server, entry, input) => {
			const answer = `{"action":"accept","content":${NUMBERS}}`;
			const { elicited, result } = await askThrough(entry(), { era, input, answer });
			expect(elicited).toContain(NUMBERS);
			expect(result).toContain(answer);
		});

		it('stay exact in further fields of an update, with the subscription id of the client', async () => {
			const served = await serveServers({ gate: exactServer });
			const client = await served.client({ era });
			await client.request('resources/list');
			await subscribe(client, era);
			await client.call('gate__update');
			await until('the update is received', () => client.lines.some((line) => line.includes('updated')));
			const [line = ''] = client.lines.filter((each) => each.includes('resources/updated'));
			expect(line).toContain(`"extra":${NUMBERS}`);
			expect(line).toContain(`"x/more":${NUMBERS}`);
			const id = (JSON.parse(line) as Updated).params._meta['io.modelcontextprotocol/subscriptionId'];
			expect(id).toBe(era === 'modern' ? subscriptionOf(client) : undefined);
		});
	});
});

interface Updated {
	readonly params: { readonly _meta: Readonly<Record<string, unknown>> };
}

/** The elicitation as the client got it, and the result of the tool, which has the answer as the server got it. */
async function askThrough(
	entry: object,
	{ era, input, answer }: { era: 'legacy' | 'modern'; input: object; answer: string },
): Promise<{ elicited: string | undefined; result: string }> {
	let elicited: string | undefined;
	const client = await (await serveServers({ gate: entry })).client({
		era,
		capabilities: { elicitation: {} },
		onClientRequest: (_method, _params, call) => {
			elicited = (call as IncomingCall).text;
			return exact(answer);
		},
	});
	if (era === 'legacy') return { result: await client.call('gate__ask', input), elicited };
	const params = { name: 'gate__ask', arguments: input };
	const elicitation = await client.requestText('tools/call', params);
	const { inputRequests, requestState } = elicitation.value as {
		inputRequests: object;
		requestState: string;
	};
	const keys = Object.keys(inputRequests);
	const inputResponses = Object.fromEntries(keys.map((key) => [key, exact(answer)]));
	const { content } = await client.request('tools/call', { ...params, inputResponses, requestState });
	return { elicited: elicitation.text, result: (content as { text: string }[])[0]?.text ?? '' };
}

async function subscribe(client: HubClient, era: 'legacy' | 'modern'): Promise<void> {
	if (era === 'legacy') return void (await client.request('resources/subscribe', { uri: 'note://one' }));
	const notifications = { resourceSubscriptions: ['note://one'] };
	const listening = client.request('subscriptions/listen', { notifications });
	listening.catch(() => {}); // it ends with the client
	await until('it is acknowledged', () => client.notifications.length > 0);
}

function subscriptionOf({ lines }: HubClient): unknown {
	const acknowledged = lines.find((line) => line.includes('acknowledged')) ?? '';
	return (JSON.parse(acknowledged) as Updated).params._meta['io.modelcontextprotocol/subscriptionId'];
}

/** A value that is written as this text. */
function exact(text: string): object {
	return new JsonText(text).exact as object;
}

async function listText(client: HubClient): Promise<string> {
	return (await client.requestText('tools/list', {})).text;
}
