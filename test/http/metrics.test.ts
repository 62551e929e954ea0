/* `/metrics` of a real shared hub, read by a parser of the Prometheus format. */
import parsePrometheus, { type ParsedMetric } from 'parse-prometheus-text-format';
import { describe, expect, it } from 'vitest';
import { modernRequest, send } from '../support/http-listener.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { gateway } from '../support/served-hub.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';

describe('/metrics', () => {
	it('has calls, errors, durations, starts, children, memory and event-loop delay of a hub', async () => {
		const { url, token } = await startHub();
		for (const name of ['steps', 'steps', 'fails']) await call(url, token, name);
		await call(url, token, 'one__echo');
		const metrics = await scrape(url, token);
		const ok = { mcp_method_name: 'tools/call', orchestra_backend: 'tools', orchestra_outcome: 'ok' };
		expect(valueOf(metrics, 'orchestra_calls_total', ok)).toBe(2);
		const failed = { gen_ai_tool_name: 'fails', error_type: 'tool_error' };
		expect(countOf(metrics, 'mcp_server_operation_duration_seconds', failed)).toBe(1);
		const forwarded = { gen_ai_tool_name: 'one__echo', mcp_method_name: 'tools/call' };
		expect(countOf(metrics, 'mcp_client_operation_duration_seconds', forwarded)).toBe(1);
		const one = { orchestra_backend: 'one' };
		expect(valueOf(metrics, 'orchestra_backend_starts_total', one)).toBe(1);
		expect(valueOf(metrics, 'orchestra_backend_restarts_total', one)).toBe(0);
		expect(valueOf(metrics, 'orchestra_queue_length', one)).toBe(0);
		expect(valueOf(metrics, 'orchestra_child_processes', one)).toBe(1);
		expect(valueOf(metrics, 'orchestra_child_memory_bytes', one)).toBeGreaterThan(1e6);
		expect(valueOf(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
		expect(metrics.map(({ name }) => name)).toContain('nodejs_eventloop_delay_p99_seconds');
	});

	it('needs the token, which /healthz does not, is read-only, and never shows a URI', async () => {
		const { url, token } = await startHub();
		const at = new URL('/metrics', url).href;
		expect((await send(at, { method: 'GET', token: 'wrong' })).status).toBe(401);
		expect((await send(at, { method: 'POST', token })).status).toBe(405);
		const health = await send(new URL('/healthz', url).href, { method: 'GET', token: 'wrong' });
		expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
		const read = modernRequest('resources/read', { uri: 'secret://place' });
		await (await send(url, { ...read, token })).text();
		const answer = await send(at, { method: 'GET', token });
		expect(answer.header('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
		expect(await answer.text()).not.toContain('secret://');
	});
});

const tools = {
	'work/tools/steps/manifest.json': manifestOf('steps'),
	'work/tools/steps/main.sh': `${shellEvent('steps')}\nevent result '{"done":true}'\n`,
	'work/tools/fails/manifest.json': manifestOf('fails'),
	'work/tools/fails/main.sh': 'exit 3\n',
};

async function startHub(): Promise<{ url: string; token: string }> {
	const place = openHubPlace({ mcpServers: { one: gateway({}, 'normal', { STARTS: '/dev/null' }) } }, tools);
	const { stdout } = await place.run('hub', 'start', '--http', '--json');
	const { httpUrl: url } = JSON.parse(stdout);
	return { url, token: (await place.run('hub', 'token')).stdout.trim() };
}

async function call(url: string, token: string, name: string): Promise<void> {
	const request = modernRequest('tools/call', { name, arguments: { text: 'x' } });
	await (await send(url, { ...request, token })).text();
}

async function scrape(url: string, token: string): Promise<ParsedMetric[]> {
	const at = new URL('/metrics', url).href;
	await (await send(at, { method: 'GET', token })).text();
	const text = await (await send(at, { method: 'GET', token })).text();
	// Of a histogram with labels the parser keeps one series; without the comments it keeps every line.
	return [...parsePrometheus(text), ...parsePrometheus(text.replaceAll(/^#.*\n/gm, ''))];
}

type Series = ParsedMetric['metrics'][number];

function find(metrics: ParsedMetric[], name: string, labels: Record<string, string>): Series | undefined {
	const found = metrics.filter((metric) => metric.name === name).flatMap((metric) => metric.metrics);
	const matches = (series: Series): boolean =>
		Object.entries(labels).every(([label, value]) => series.labels?.[label] === value);
	return found.find(matches);
}

function valueOf(metrics: ParsedMetric[], name: string, labels: Record<string, string> = {}): number {
	return Number(find(metrics, name, labels)?.value);
}

function countOf(metrics: ParsedMetric[], name: string, labels: Record<string, string>): number {
	expect(metrics.find((metric) => metric.name === name)?.type).toBe('HISTOGRAM');
	return valueOf(metrics, `${name}_count`, labels);
}
