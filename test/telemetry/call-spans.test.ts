/* The spans, phases and counters of calls that wait: for a person, in a queue, for a start; and of a plugin. */
import { describe, expect, it } from 'vitest';
import { HubMetrics } from '../../src/hub/metrics/hub-metrics.ts';
import { type Span, Tracer } from '../../src/telemetry/tracer.ts';
import { callServer } from '../support/mcp-folder.ts';
import { pluginWith } from '../support/plugins.ts';
import { type ServedHub, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';

describe('a call that waits', () => {
	it('has spans for approval and queue, and its queue is counted while it waits', async () => {
		const policy = [{ tools: 'py__add', action: 'ask' }];
		const { served, spans, value } = await observed({ py: { ...callServer, concurrency: 1 } }, { policy });
		const accepted = { action: 'accept', content: { decision: 'allow once' } };
		const capabilities = { elicitation: { form: {} } };
		const client = await served.client({ capabilities, onClientRequest: () => accepted });
		const leaving = new AbortController();
		const hanging = client.call('py__hang', {}, { signal: leaving.signal }).catch(() => 'canceled');
		await until('it hangs', () => value('orchestra_calls_in_flight') === 1);
		const queued = client.call('py__add', { numbers: [1, 2] });
		await until('one waits in the queue', () => value('orchestra_queue_length') === 1);
		leaving.abort();
		expect([await hanging, await queued]).toEqual(['canceled', '3']);
		expect(value('orchestra_queue_length')).toBe(0);
		const received = spans.find(({ name, kind }) => name === 'tools/call py__add' && kind === 2);
		const below = spans.filter(({ parentSpanId }) => parentSpanId === received?.spanId);
		expect(below.map(({ name }) => name)).toEqual(['approval', 'queue', 'tools/call py__add']);
	});

	it('counts a restart after a crash, and has the hop to a plugin in its trace', async () => {
		const plugins = [pluginWith('talker', `say: tool(() => 'said')`)];
		const { served, spans, ends, value } = await observed({ py: callServer }, { plugins });
		const client = await served.client();
		await client.call('py__die').catch(() => '');
		await until('it works again', async () => (await client.call('py__add', { numbers: [1] })) === '1');
		expect(value('orchestra_backend_restarts_total', 'py')).toBeGreaterThan(0);
		expect(await client.call('say')).toBe('said');
		const [received, hop] = [2, 3].map((wanted) =>
			spans.find(({ name, kind }) => name === 'tools/call say' && kind === wanted),
		);
		expect(hop).toMatchObject({ traceId: received?.traceId, parentSpanId: received?.spanId });
		expect(ends.at(-1)).toBe(received?.traceId);
	});
});

interface Observed {
	readonly served: ServedHub;
	readonly spans: Span[];
	/** The trace ids of the calls that ended, as the journal gets them. */
	readonly ends: (string | undefined)[];
	/** The sum of a metric, of one backend if it is named. */
	value(name: string, backend?: string): number;
}

async function observed(servers: Record<string, unknown>, more: object): Promise<Observed> {
	const spans: Span[] = [];
	const counts = { exported: 0, dropped: 0 };
	const exporter = { counts, export: (span: Span) => spans.push(span), close: () => Promise.resolve() };
	const served = await serveServers(servers, { more, tracer: new Tracer(exporter) });
	const { hub } = served.opened;
	const ends: (string | undefined)[] = [];
	hub.calls.listen({ ended: (_call, { trace }) => ends.push(trace) });
	const metrics = new HubMetrics(hub);
	return {
		served,
		spans,
		ends,
		value: (name, backend = '') =>
			[...metrics.text().matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
				.filter(([, labels = '']) => labels.includes(`"${backend}`))
				.reduce((sum, [, , value]) => sum + Number(value), 0),
	};
}
