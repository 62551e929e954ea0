/* The exporter alone: batches, bounds, and what is dropped. */

import { describe, expect, it } from 'vitest';
import { Log } from '../../src/log.ts';
import { addSecret } from '../../src/redact.ts';
import { exportSettings } from '../../src/telemetry/export-settings.ts';
import { OtlpExporter } from '../../src/telemetry/otlp-exporter.ts';
import { QUEUE_SPANS } from '../../src/telemetry/telemetry-limits.ts';
import { formatTraceparent, parseTraceparent, randomHex } from '../../src/telemetry/traceparent.ts';
import { spanKinds, Tracer } from '../../src/telemetry/tracer.ts';
import { startCollector } from '../support/collector.ts';

describe('OtlpExporter', () => {
	it('sends spans in batches and counts them', async () => {
		const collector = await startCollector();
		const exporter = exporterFor(collector.url);
		makeSpans(new Tracer(exporter), 1000);
		await collector.received(1000);
		await exporter.close();
		expect(exporter.counts).toEqual({ exported: 1000, dropped: 0 });
		expect(collector.requests).toHaveLength(2);
		expect(collector.spans).toHaveLength(1000);
	});

	it('sends a whole batch at once: a busy hub with a healthy collector loses no span', async () => {
		const collector = await startCollector();
		const exporter = exporterFor(collector.url);
		const tracer = new Tracer(exporter);
		for (let made = 0; made < 3 * QUEUE_SPANS; made += 512) {
			makeSpans(tracer, 512);
			await collector.received(made + 512);
		}
		await exporter.close();
		expect(exporter.counts).toEqual({ exported: 3 * QUEUE_SPANS, dropped: 0 });
		expect(collector.requests).toHaveLength(12);
	});

	it('drops spans above the bound of its queue', async () => {
		const collector = await startCollector();
		const exporter = exporterFor(collector.url);
		makeSpans(new Tracer(exporter), QUEUE_SPANS + 5);
		await collector.received(QUEUE_SPANS);
		await exporter.close();
		expect(exporter.counts).toEqual({ exported: QUEUE_SPANS, dropped: 5 });
	});

	it.each([
		['is down', async () => 'http://127.0.0.1:2'],
		['refuses them', async () => (await startCollector(503)).url],
		['never answers', async () => (await startCollector(0)).url],
	])('drops the spans when the collector %s, and closes within its bound', async (_, open) => {
		const exporter = exporterFor(await open());
		makeSpans(new Tracer(exporter), 10);
		// Without its bound, `close` would wait for longer than a test may take.
		await exporter.close();
		expect(exporter.counts).toEqual({ exported: 0, dropped: 10 });
		makeSpans(new Tracer(exporter), 1);
		expect(exporter.counts.dropped).toBe(11);
	});

	it('warns once while the collector is down', async () => {
		const warned: string[] = [];
		const log = { warn: (line: string) => warned.push(line), info: () => {} };
		const settings = settingsFor('http://127.0.0.1:2');
		const exporter = new OtlpExporter(settings, '1', log);
		makeSpans(new Tracer(exporter), 1000);
		await exporter.close();
		expect(warned).toHaveLength(1);
		expect(warned[0]).toContain('ECONNREFUSED');
	});

	it('replaces secrets in names, attributes and errors', async () => {
		const collector = await startCollector();
		const exporter = exporterFor(collector.url);
		addSecret('hunter2-hunter2');
		const attributes = { 'gen_ai.tool.name': 'x hunter2-hunter2' };
		const span = new Tracer(exporter).receive(undefined, { name: 'a', kind: spanKinds.server, attributes });
		span?.end({ error: 'wrong: hunter2-hunter2' });
		await collector.received(1);
		await exporter.close();
		expect(collector.requests[0]?.body).not.toContain('hunter2');
		expect(collector.spans[0]?.status.message).toBe('wrong: •••');
	});
});

describe('exportSettings', () => {
	it('adds the path to the common address, and uses the own address of traces as it is', () => {
		const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
		expect(exportSettings(common, 'x', Log.silent)?.url).toBe('http://collector:4318/v1/traces');
		const own = { ...common, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/t' };
		expect(exportSettings(own, 'x', Log.silent)?.url).toBe('http://other/t');
	});

	it.each(['nowhere', 'file:///etc/passwd', ''])('refuses the address "%s"', (endpoint) => {
		expect(exportSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, 'x', Log.silent)).toBeUndefined();
	});

	it('reads headers with percent-encoding, and ignores what is no pair', () => {
		const headers = 'a=1%202, b = 3 ,nothing,c=%zz';
		const found = exportSettings(
			{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_EXPORTER_OTLP_HEADERS: headers },
			'x',
			Log.silent,
		);
		expect(found?.headers).toEqual({ a: '1 2', b: '3', c: '%zz' });
	});
});

describe('traceparent', () => {
	it('is read back as it was written', () => {
		const ids = { traceId: randomHex(16), spanId: randomHex(8) };
		expect(parseTraceparent(formatTraceparent(ids))).toEqual({ ...ids, isSampled: true });
	});

	it.each([
		'',
		7,
		undefined,
		'00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7',
		'00-00000000000000000000000000000000-00f067aa0ba902b7-01',
		'00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
		'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
		'00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
		'00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
	])('that is not valid counts as none: %s', (text) => {
		expect(parseTraceparent(text)).toBeUndefined();
	});

	it('of a later version is read as far as we know it', () => {
		const later = '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03-more';
		expect(parseTraceparent(later)).toMatchObject({ isSampled: true });
	});
});

function settingsFor(url: string): NonNullable<ReturnType<typeof exportSettings>> {
	const settings = exportSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, 'test', Log.silent);
	if (settings === undefined) throw new Error('no settings');
	return settings;
}

function exporterFor(url: string): OtlpExporter {
	return new OtlpExporter(settingsFor(url), '1', Log.silent);
}

function makeSpans(tracer: Tracer, count: number): void {
	for (let at = 0; at < count; at++)
		tracer.receive(undefined, { name: `s${at}`, kind: spanKinds.internal })?.end();
}
