/* A legacy client is asked by real requests on the wire. */
import { describe, expect, it } from 'vitest';
import { formFor, kitchenSink, sampling } from '../support/mcp-server.ts';
import { RawClient } from '../support/raw-client.ts';

const all = { elicitation: {}, sampling: {}, roots: {} };

describe('a tool that asks a legacy client', () => {
	it('sends elicitation, sampling and roots as requests, and takes the answers', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-11-25', all);
		client.onClientRequest = ({ method = '' }) => ({ result: answers[method] });
		const { result } = await client.request('tools/call', { name: 'everything' });
		expect(JSON.parse(result.content[0].text)).toEqual({
			name: answers['elicitation/create'],
			words: answers['sampling/createMessage'],
			roots: answers['roots/list'],
		});
		const asked = client.received.filter(({ id, method }) => id !== undefined && method !== undefined);
		expect(asked.map(({ method, params }) => ({ method, params }))).toEqual([
			formFor('name'),
			sampling,
			{ method: 'roots/list' },
		]);
		await client.end();
	});

	it('works for prompts and resources too', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-06-18', all);
		client.onClientRequest = () => ({ result: { action: 'decline' } });
		expect((await client.request('prompts/get', { name: 'asks' }))['result'].messages).toHaveLength(1);
		expect((await client.request('resources/read', { uri: 'note://secret' }))['result'].contents).toEqual([
			{ uri: 'note://secret', text: 'opened' },
		]);
		await client.end();
	});

	it('fails with a sentence when the client refuses or cannot', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-11-25', { elicitation: {} });
		client.onClientRequest = () => ({ error: { code: -1, message: 'User rejected' } });
		expect((await client.request('tools/call', { name: 'name' }))['result']).toMatchObject({
			isError: true,
			content: [{ text: 'the client refused the request for input: User rejected' }],
		});
		expect((await client.request('tools/call', { name: 'everything' }))['result']).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('capability sampling') }],
		});
		await client.end();
	});

	it('fails with a sentence also when it requested input by its result, whatever the number of the refusal', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-11-25', { elicitation: {} });
		for (const code of [-32042, -32002, -1]) {
			client.onClientRequest = () => ({ error: { code, message: 'User rejected' } });
			expect((await client.request('tools/call', { name: 'stateful' }))['result']).toMatchObject({
				isError: true,
				content: [{ text: 'the client refused the request for input: User rejected' }],
			});
		}
		await client.end();
	});

	it('cancels its client request when the call is cancelled', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-11-25', all);
		const asked = client.next(({ method }) => method === 'elicitation/create');
		const takenBack = client.next(({ method }) => method === 'notifications/cancelled');
		client.send({ id: 'c', method: 'tools/call', params: { name: 'name' } });
		const { id } = await asked;
		client.send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
		expect((await takenBack)['params'].requestId).toBe(id);
		await client.end();
	});
});

describe('a provider that answers with input requests', () => {
	it('has them put to a legacy client and is called again with the answers and its own state', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-11-25', all);
		client.onClientRequest = ({ params }) => ({
			result: { action: 'accept', content: { said: params.message } },
		});
		const { result } = await client.request('tools/call', { name: 'stateful' });
		const b = { action: 'accept', content: { said: 'Which b?' } };
		expect(result.content[0].text).toBe(`round 2: ${JSON.stringify({ b })}`);
		await client.end();
	});

	it('is not called for ever', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const { error } = await client.request('tools/call', { name: 'endless' });
		expect(error).toMatchObject({
			code: -32603,
			message: 'tools/call asked the client for input more than 8 times',
		});
		await client.end();
	});

	it('fails with a sentence when the client takes no such request', async () => {
		const client = await RawClient.legacy(kitchenSink());
		expect((await client.request('tools/call', { name: 'stateful' }))['result']).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('capability elicitation') }],
		});
		await client.end();
	});
});

const answers: Record<string, Record<string, unknown>> = {
	'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
	'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' },
	'roots/list': { roots: [{ uri: 'file:///tmp' }] },
};
