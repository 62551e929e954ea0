/* One call as one trace: agent → bridge → hub → server, received by a collector over OTLP/HTTP. */
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { type Collector, type ReceivedSpan, startCollector } from '../support/collector.ts';
import { modernRequest, send } from '../support/http-listener.ts';
import { type HubBridge, openHubPlace } from '../support/hub-place.ts';
import { mctl } from '../support/mctl.ts';
import { isAlive } from '../support/programs.ts';
import { gateway } from '../support/served-hub.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const AGENT_SPAN = '00f067aa0ba902b7';
const sampled = `00-${TRACE}-${AGENT_SPAN}-01`;

describe('a call with traceparent', () => {
	it('is one connected trace from the agent over bridge and hub to the server', async () => {
		const collector = await startCollector();
		const { bridge } = await openTraced(collector);
		const seen = await callParams(bridge, { traceparent: sampled, tracestate: 'a=b' });
		const received = await collector.span(by('orchestra-bridge', 2));
		const served = await collector.span(by('orchestra-hub', 2));
		const sent = await collector.span(by('orchestra-hub', 3));
		const start = await collector.span(({ name }) => name === 'start');
		expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
		expect(received.parentSpanId).toBe(AGENT_SPAN);
		expect(served.parentSpanId).toBe(received.spanId);
		expect([sent.parentSpanId, start.parentSpanId]).toEqual([served.spanId, served.spanId]);
		expect(seen._meta).toMatchObject({ traceparent: `00-${TRACE}-${sent.spanId}-01`, tracestate: 'a=b' });
		expect(served.attributes).toMatchObject({
			'mcp.method.name': 'tools/call',
			'gen_ai.tool.name': 'one__line',
			'gen_ai.operation.name': 'execute_tool',
			'orchestra.backend': 'one',
		});
		expect(sent.start >= start.end && sent.end <= served.end && served.start <= sent.start).toBe(true);
		expect(JSON.stringify(collector.requests)).not.toContain('12345678901234567890');
		expect(seen.line).toContain('{"exact":12345678901234567890}');
	});

	it.runIf(runsAllTests)(
		'begins a trace when there is none, reaches a tool as TRACEPARENT, and stays as it is when it is not sampled',
		async () => {
			const collector = await startCollector();
			const { bridge } = await openTraced(collector);
			const unsampled = `00-${TRACE}-${AGENT_SPAN}-00`;
			const seen = await callParams(bridge, { traceparent: unsampled });
			expect(seen._meta['traceparent']).toBe(unsampled);
			await bridge.client.call(5, 'tools/call', { name: 'one__nope' });
			const params = { name: 'says', arguments: {}, _meta: { traceparent: sampled } };
			const { result } = await bridge.client.call(6, 'tools/call', params);
			// The first call would have had spans before the others.
			const sent = await collector.span(by('orchestra-hub', 3));
			expect(JSON.stringify(result)).toContain(`00-${TRACE}-${sent.spanId}-01`);
			const begun = await collector.span(({ traceId }) => traceId !== TRACE);
			expect(begun.traceId).toMatch(/^[\da-f]{32}$/);
			expect(begun).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': '-32602' } });
		},
	);

	it.runIf(runsAllTests)(
		'has its traceparent in the header of an HTTP request, when _meta has none',
		async () => {
			const collector = await startCollector();
			const { place, env } = await openTraced(collector, ['--http']);
			const { httpUrl } = JSON.parse(
				(await mctl(['hub', 'status', '--json'], { cwd: place.cwd, env })).stdout,
			);
			const token = (await place.run('hub', 'token')).stdout.trim();
			const { headers, body } = modernRequest('tools/call', { name: 'says', arguments: {} });
			await (await send(httpUrl, { headers: { ...headers, traceparent: sampled }, body, token })).text();
			const served = await collector.span(by('orchestra-hub', 2));
			expect([served.traceId, served.parentSpanId]).toEqual([TRACE, AGENT_SPAN]);
			const metrics = await send(new URL('/metrics', httpUrl).href, { method: 'GET', token });
			expect(await metrics.text()).toMatch(/^orchestra_spans_exported_total [1-9]/m);
		},
	);
});

describe('mctl serve', () => {
	it('exports the spans of its calls before it exits', async () => {
		const collector = await startCollector();
		const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': '{}' });
		const call = {
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name: 'hello-world', arguments: {} },
		};
		const env = { HOME: cwd, XDG_STATE_HOME: cwd, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
		const { code } = await mctl(['serve', '--examples'], { cwd, env, input: `${JSON.stringify(call)}\n` });
		expect(code).toBe(0);
		const served = await collector.span(by('orchestra-hub', 2));
		expect((await collector.span(by('orchestra-hub', 3))).parentSpanId).toBe(served.spanId);
	});
});

describe('with OTEL_SDK_DISABLED', () => {
	it('_meta passes through untouched', async () => {
		const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:2', OTEL_SDK_DISABLED: 'true' };
		const { bridge } = await openWith(disabled);
		const seen = await callParams(bridge, { traceparent: sampled });
		expect(seen._meta['traceparent']).toBe(sampled);
	});
});

describe('a collector', () => {
	it.runIf(runsAllTests)('gets the headers and the service name of the environment', async () => {
		const collector = await startCollector();
		const { bridge } = await openWith({
			OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
			OTEL_EXPORTER_OTLP_HEADERS: 'x-key=top%20secret-key',
			OTEL_SERVICE_NAME: 'mine',
			OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
		});
		await callParams(bridge, {});
		const [span] = await collector.received(1);
		expect(span?.service).toBe('mine');
		expect(collector.requests[0]).toMatchObject({
			path: '/own/path',
			headers: { 'x-key': 'top secret-key' },
		});
		expect(collector.requests[0]?.body).toContain('deployment.environment.name');
	});

	it.runIf(runsAllTests)('that never answers does not keep a bridge from its end', async () => {
		const collector = await startCollector(0);
		const { bridge } = await openTraced(collector);
		await callParams(bridge, { traceparent: sampled });
		await ended(bridge);
	});
});

const files = {
	'work/tools/says/manifest.json': manifestOf('says'),
	'work/tools/says/main.sh': `${shellEvent('says')}\nevent result "{\\"traceparent\\":\\"$TRACEPARENT\\"}"\n`,
};

type Traced = { bridge: HubBridge; place: ReturnType<typeof openHubPlace>; env: Record<string, string> };

function openTraced(collector: Collector, hubFlags: string[] = []): Promise<Traced> {
	return openWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, hubFlags);
}

async function openWith(variables: Record<string, string>, hubFlags: string[] = []): Promise<Traced> {
	// Each call starts a process, so that it has that phase.
	const one = gateway({ scope: 'call' }, 'normal', { STARTS: '/dev/null' });
	const place = openHubPlace({ mcpServers: { one } }, files);
	const env = { ...place.env, ...variables };
	const { code, stderr } = await mctl(['hub', 'start', ...hubFlags], { cwd: place.cwd, env });
	if (code !== 0) throw new Error(stderr);
	const bridge = place.bridge(variables);
	await bridge.ready();
	return { bridge, place, env };
}

interface SeenParams {
	line: string;
	_meta: Record<string, string>;
}

/** What the server got. */
async function callParams(bridge: HubBridge, meta: object): Promise<SeenParams> {
	const id = bridge.client.lines.length + 10;
	const call = `{"name":"one__line","arguments":{"exact":12345678901234567890},"_meta":${JSON.stringify(meta)}}`;
	bridge.client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${call}}`);
	const { result } = JSON.parse(await bridge.client.answer(id));
	const line = result.content[0].text;
	return { line, ...JSON.parse(line).params };
}

function by(service: string, kind: number): (span: ReceivedSpan) => boolean {
	return (span) => span.service === service && span.kind === kind;
}

async function ended(bridge: HubBridge): Promise<void> {
	bridge.client.end();
	await until('the bridge has ended', () => !isAlive(bridge.pid));
}
