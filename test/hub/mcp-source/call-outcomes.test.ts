/* What an error says about its call: whether it ran. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateway, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

/** The limit of messages of servers, which no setting lowers. */
const LIMIT = 64 * 1024 * 1024;

describe('data.outcome of the error of a call', () => {
	it.each(['legacy', 'modern'] as const)(
		'is `ran` when the answer is above the message limit, for a %s client',
		async (era) => {
			const served = await serveServers({ gate: gateway() });
			const client = await served.client({ era });
			const { message, data } = await client.failure('gate__big', { bytes: LIMIT });
			expect(data).toMatchObject({ code: 'bad_frame', phase: 'call', outcome: 'ran' });
			expect(message).toContain('the MCP server gate answered the call, and its answer cannot be used');
			expect(message).toContain('The call has taken effect');
		},
		30_000,
	);

	it('is `unknown` when the server ends during the call, and `not_run` for the calls while it is down', async () => {
		const served = await serveServers({ gate: gateway({ restart: false }) });
		const client = await served.client();
		expect((await client.failure('gate__die')).data).toMatchObject({ outcome: 'unknown' });
		const { message, data } = await client.failure('gate__echo', { text: 'x' });
		expect(message).toContain('this call did not run');
		expect(data).toMatchObject({ outcome: 'not_run' });
	});

	it('is `unknown` when the server did not answer in time', async () => {
		const served = await serveServers({ gate: gateway({ timeoutMs: 100 }) });
		const client = await served.client();
		expect((await client.failure('gate__hang')).data).toMatchObject({ code: 'timeout', outcome: 'unknown' });
	});

	it('is `not_run` when the server could not be started, or its queue is full', async () => {
		const absent = { command: join(import.meta.dirname, 'no-such-program') };
		const served = await serveServers({ absent, gate: gateway({ concurrency: 1, queue: 0 }) });
		const client = await served.client();
		expect((await client.failure('absent__echo')).data).toMatchObject({ code: 'spawn', outcome: 'not_run' });
		const abort = new AbortController();
		const hanging = client.call('gate__hang', {}, { signal: abort.signal }).catch(() => 'canceled');
		await until('the server has the call', () => served.events('called').length === 1);
		const { data } = await client.failure('gate__echo', { text: 'x' });
		expect(data).toMatchObject({ code: 'closed', outcome: 'not_run' });
		abort.abort();
		expect(await hanging).toBe('canceled');
	});
});
