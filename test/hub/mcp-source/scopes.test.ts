/* Who shares a process of an MCP server, and who answers its client requests. */

import { describe, expect, it } from 'vitest';
import { controlServer } from '../../../src/hub/shared/hub-control.ts';
import { able } from '../../../src/hub/source.ts';
import {
	CLIENT_REQUESTS_PER_CALL,
	CLIENT_REQUESTS_PER_MINUTE,
} from '../../../src/hub/sources/source-limits.ts';
import { sdkServer } from '../../support/interop-servers.ts';
import { type MctlResult, mctl } from '../../support/mctl.ts';
import { serveSdk1 } from '../../support/sdk-http.ts';
import { gateway, type HubClientOptions, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { deferred, until } from '../../support/waiting.ts';

const answering: HubClientOptions = {
	capabilities: { elicitation: {}, roots: {} },
	onClientRequest: (method) =>
		method === 'roots/list'
			? { roots: [{ uri: 'file:///here' }] }
			: { action: 'accept', content: { who: 'Ann' } },
};
const accepted = '{"action":"accept","content":{"who":"Ann"}}';

/** Have the server ask while two clients have calls in flight; its error, and its pid. */
async function askOfSeveral(served: ServedHub): Promise<{ message: string; pid: string }> {
	const [one, two] = [await served.client(answering), await served.client(answering)];
	const pid = await one.call('gate__pid');
	const abort = new AbortController();
	const hanging = one.call('gate__hang', {}, { signal: abort.signal }).catch(() => 'canceled');
	await until('the call is in flight', () => served.events('called').length === 1);
	const message = await two.call('gate__ask');
	abort.abort();
	await hanging;
	return { message, pid };
}

describe('the scope of an MCP server', () => {
	it('shared is one process for all clients', async () => {
		const served = await serveServers({ gate: gateway() });
		const [one, two] = [await served.client(), await served.client()];
		expect(await one.call('gate__pid')).toBe(await two.call('gate__pid'));
	});

	it('session is one process per client, which ends with the session', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const [one, two] = [await served.client({ sessionId: 'first' }), await served.client()];
		expect(await one.call('gate__count')).toBe('1');
		expect(await one.call('gate__count')).toBe('2');
		expect(await two.call('gate__count')).toBe('1');
		expect(served.opened.hub.processes()).toHaveLength(2);
		const gate = served.opened.hub.sources.find(({ id }) => id === 'gate');
		able(gate, 'endSession')?.endSession('first');
		await until('the process of the session is gone', () => served.opened.hub.processes().length === 1);
		expect(await two.call('gate__count')).toBe('2');
	});

	it('session is one process for each name of modern clients on one connection', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const client = await served.client({ era: 'modern' });
		const countFor = async (name: string): Promise<unknown> => {
			const _meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
			return (await client.request('tools/call', { name: 'gate__count', _meta }))['content'];
		};
		for (const [name, count] of [
			['one', '1'],
			['two', '1'],
			['one', '2'],
		] as const)
			expect(await countFor(name)).toMatchObject([{ text: count }]);
	});

	it('call is one process per call', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'call' }) });
		const client = await served.client();
		const pids = await Promise.all([1, 2, 3].map(() => client.call('gate__pid')));
		expect(new Set(pids).size).toBe(3);
		await until('no process is left', () => served.opened.hub.processes().length === 0);
	});
});

describe('a client request of an MCP server', () => {
	it('of a shared process is answered by the only client with a call in flight', async () => {
		const served = await serveServers({ gate: gateway() });
		const [one, two] = [await served.client(answering), await served.client()];
		expect(await one.call('gate__ask')).toBe(accepted);
		expect(await one.call('gate__roots')).toBe('{"roots":[{"uri":"file:///here"}]}');
		expect(await two.call('gate__ask')).toContain('did not declare the capability elicitation');
	});

	it('of a shared process gets an error while several clients have calls in flight, and one warning', async () => {
		const served = await serveServers({ gate: gateway() });
		const [one, two] = [await served.client(answering), await served.client(answering)];
		await one.call('gate__echo', { text: 'x' });
		const abort = new AbortController();
		const hanging = one.call('gate__hang', {}, { signal: abort.signal }).catch(() => 'canceled');
		await until('the call is in flight', () => served.events('called').length === 1);
		expect(await two.call('gate__ask')).toContain(
			'it is not certain which client must answer elicitation/create',
		);
		await two.call('gate__ask');
		expect(served.log.filter((line) => line.includes('each client has a process of its own'))).toHaveLength(
			1,
		);
		abort.abort();
		await hanging;
	});

	it.each(['hub', 'server'])(
		'makes its server one of the scope session from the next start of the %s',
		async (what) => {
			const first = await serveServers({ gate: gateway() });
			const { message, pid } = await askOfSeveral(first);
			expect(message).toContain('From the next start of gate, each client has a process of its own');
			const before = [await first.client(), await first.client()] as const;
			expect(await before[0].call('gate__pid')).toBe(pid);
			if (what === 'server') await controlServer(first.opened.hub, 'restart', 'gate');
			const served = what === 'server' ? first : await first.again();
			const [one, two] = [await served.client(answering), await served.client(answering)];
			const others = one.call('gate__sleep', { ms: 100 });
			expect(await two.call('gate__ask')).toBe(accepted);
			expect(await others).toBe('slept');
			expect(await one.call('gate__pid')).not.toBe(await two.call('gate__pid'));
		},
	);

	it('leaves the scope that the entry names, and says which one to set', async () => {
		const first = await serveServers({ gate: gateway({ scope: 'shared' }) });
		expect((await askOfSeveral(first)).message).toContain('Set scope of mcpServers.gate to \\"session\\".');
		const served = await first.again();
		const [one, two] = [await served.client(), await served.client()];
		expect(await one.call('gate__pid')).toBe(await two.call('gate__pid'));
	});

	it('that came while several clients used the server is shown by mctl show', async () => {
		const served = await serveServers({ gate: gateway() });
		const show = (): Promise<MctlResult> =>
			mctl(['show', 'gate', 'echo'], { cwd: served.folder, env: served.environment });
		expect((await show()).stdout).not.toContain('Scope');
		await askOfSeveral(served);
		await served.close();
		expect((await show()).stdout).toMatch(
			/Scope: +session from its next start, because it asked while several/,
		);
	});

	it('over HTTP goes to the client of the call on whose stream it came', async () => {
		const { url } = await serveSdk1();
		const served = await serveServers({ far: { type: 'http', url } });
		const isAsked = deferred();
		const mayAnswer = deferred();
		const roots = (count: number): object => ({
			roots: Array.from({ length: count }, () => ({ uri: 'file:///a' })),
		});
		const one = await served.client({
			...answering,
			onClientRequest: async () => {
				isAsked.resolve();
				await mayAnswer.promise;
				return roots(1);
			},
		});
		const two = await served.client({ ...answering, onClientRequest: () => roots(2) });
		const first = one.call('far__ask');
		await isAsked.promise;
		expect(await two.call('far__ask')).toBe('2');
		mayAnswer.resolve();
		expect(await first).toBe('1');
	});

	it('is the last one of a call that asks without end', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client(answering);
		expect(await client.call('gate__nag', { times: CLIENT_REQUESTS_PER_CALL })).toBe('all');
		expect(await client.call('gate__nag', { times: 1000 })).toBe(
			`${CLIENT_REQUESTS_PER_CALL} gate may ask its clients at most ${CLIENT_REQUESTS_PER_CALL} times during one call`,
		);
		await client.call('gate__nag', { times: CLIENT_REQUESTS_PER_CALL });
		expect(await client.call('gate__nag', { times: 1 })).toBe(
			`0 gate may ask its clients at most ${CLIENT_REQUESTS_PER_MINUTE} times within a minute`,
		);
		expect(await client.call('gate__roots')).toContain('file:///here');
	});

	it('of the process of a session is answered by its client', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const [one, two] = [await served.client(answering), await served.client()];
		const others = two.call('gate__sleep', { ms: 200 });
		expect(await one.call('gate__ask')).toBe(accepted);
		expect(await others).toBe('slept');
	});

	it.each(['withdraws it', 'dies'])('ends at the client when the server %s', async (how) => {
		const served = await serveServers({ gate: gateway() });
		const states: string[] = [];
		const onClientRequest: HubClientOptions['onClientRequest'] = (_method, _params, { signal }) => {
			states.push('asked');
			signal.addEventListener('abort', () => states.push('ended'));
			return new Promise(() => {});
		};
		const client = await served.client({ capabilities: { elicitation: {} }, onClientRequest });
		const asking = client.call('gate__ask').catch(() => 'failed');
		await until('it is elicited', () => states.length === 1);
		if (how === 'dies') await client.failure('gate__die');
		else await client.call('gate__update', { withdraws: true });
		expect(await asking).toBe(how === 'dies' ? 'failed' : '"withdrawn"');
		await until('the elicitation has ended', () => states[1] === 'ended');
	});

	it('to open a page is followed by the notification that the user is done, for the client that was asked', async () => {
		const served = await serveServers({ gate: gateway() });
		const pages = { ...answering, capabilities: { elicitation: { url: {} } } };
		const [one, two] = [await served.client(pages), await served.client(pages)];
		const page = (elicitationId: string): object => ({ mode: 'url', url: 'https://a.test', elicitationId });
		await one.call('gate__ask', { with: page('first') });
		const error = { code: -32042, message: 'open a page', data: { elicitations: [page('second')] } };
		await one.failure('gate__fail', { error });
		for (const elicitationId of ['first', 'second', 'unknown'])
			await two.call('gate__update', {
				later: { method: 'elicitation/complete', params: { elicitationId } },
			});
		await until('both are received', () => one.notifications.length === 2);
		await one.call('gate__echo', { text: 'x' });
		expect(one.notifications).toEqual(
			['first', 'second'].map((elicitationId) => ({
				method: 'notifications/elicitation/complete',
				params: { elicitationId },
			})),
		);
		expect(two.notifications).toEqual([]);
	});

	it('of a modern server keeps its process from being stopped as unused', async () => {
		const modern = { ...sdkServer('v2', 'three', 'modern'), idleMs: 200 };
		const served = await serveServers({ three: modern, gate: gateway({ idleMs: 200 }) });
		const client = await served.client({ era: 'modern', capabilities: { elicitation: { form: {} } } });
		const elicited = await client.request('tools/call', { name: 'three__ask', arguments: {} });
		expect(elicited).toMatchObject({ resultType: 'input_required' });
		await client.call('gate__sleep', { ms: 300 });
		await until('another one is stopped', () => served.opened.hub.processes().length === 1);
		expect(served.opened.hub.processes()).toMatchObject([{ backend: 'three' }]);
	});

	it('to a modern client suspends the call until the client retries', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client({ era: 'modern', capabilities: { elicitation: { form: {} } } });
		const call = { name: 'gate__ask', arguments: {} };
		const elicited = await client.request('tools/call', call);
		expect(elicited).toMatchObject({
			resultType: 'input_required',
			inputRequests: { answer: { method: 'elicitation/create' } },
		});
		const answer = { action: 'accept', content: { who: 'Ann' } };
		const { requestState } = elicited as { requestState: string };
		const result = await client.request('tools/call', { ...call, requestState, inputResponses: { answer } });
		expect(result).toMatchObject({ resultType: 'complete', content: [{ text: accepted }] });
	});

	it('to a modern client has the key that a legacy server names, which is not passed on', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client({ era: 'modern', capabilities: { elicitation: { form: {} } } });
		const _meta = { 'orchestra/inputKey': 'who', more: 1 };
		const call = { name: 'gate__ask', arguments: { with: { _meta } } };
		const { inputRequests, requestState } = await client.request('tools/call', call);
		expect(inputRequests).toMatchObject({ who: { params: { _meta: { more: 1 } } } });
		expect(JSON.stringify(inputRequests)).not.toContain('inputKey');
		const inputResponses = { who: { action: 'accept', content: { who: 'Ann' } } };
		const result = await client.request('tools/call', { ...call, requestState, inputResponses });
		expect(result).toMatchObject({ content: [{ text: accepted }] });
	});

	it('to a modern client that the server withdraws does not hold the call', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client({ era: 'modern', capabilities: { elicitation: { form: {} } } });
		const call = { name: 'gate__ask', arguments: {} };
		const { requestState } = await client.request('tools/call', call);
		await client.call('gate__update', { withdraws: true });
		const inputResponses = { answer: { action: 'accept', content: { who: 'Ann' } } };
		const result = await client.request('tools/call', { ...call, requestState, inputResponses });
		expect(result).toMatchObject({ content: [{ text: '"withdrawn"' }] });
	});

	it('to a modern client is declared by each request, so a process of its session may ask everything', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const one = { sessionId: 'one', era: 'modern' } as const;
		expect(await (await served.client(one)).call('gate__client')).toContain('"elicitation"');
	});

	it('to a modern client is not confused with an earlier one that the client abandoned', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const client = await served.client({ era: 'modern', capabilities: { elicitation: { form: {} } } });
		const call = { name: 'gate__ask', arguments: {} };
		await client.request('tools/call', call);
		const elicited = await client.request('tools/call', call);
		expect(elicited).toMatchObject({ resultType: 'input_required' });
		const answer = { action: 'accept', content: { who: 'Ann' } };
		const { requestState } = elicited as { requestState: string };
		const result = await client.request('tools/call', { ...call, requestState, inputResponses: { answer } });
		expect(result).toMatchObject({ resultType: 'complete', content: [{ text: accepted }] });
	});

	it('that a modern client did not declare fails the call with the missing capability', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const client = await served.client({ era: 'modern' });
		expect(await client.failure('gate__ask', { fails: true })).toMatchObject({
			code: -32021,
			data: { requiredCapabilities: { elicitation: {} } },
		});
		expect(await client.call('gate__ask')).toContain('-32021');
	});
});
