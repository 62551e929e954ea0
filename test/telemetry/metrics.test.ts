/* The registry of metrics and its text, read by a parser of the Prometheus format. */

import fc from 'fast-check';
import parsePrometheus from 'parse-prometheus-text-format';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../src/telemetry/histogram.ts';
import { MetricRegistry } from '../../src/telemetry/metric-registry.ts';
import { SERIES_LIMIT } from '../../src/telemetry/telemetry-limits.ts';

describe('MetricRegistry', () => {
	it('counts by labels, in the text format of Prometheus', () => {
		const registry = new MetricRegistry();
		const calls = registry.counter({ name: 'calls_total', help: 'Calls.' });
		calls.add({ tool: 'a' });
		calls.add({ tool: 'a' }, 2);
		calls.add({ tool: 'b', error: undefined });
		expect(registry.text()).toBe(
			'# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{tool="a"} 3\ncalls_total{tool="b"} 1\n',
		);
	});

	it('counts a histogram in cumulative buckets', () => {
		const registry = new MetricRegistry();
		const times = registry.histogram({ name: 'time_seconds', help: 'Times.' }, [0.1, 1]);
		for (const value of [0.05, 0.1, 0.5, 7, Number.NaN]) times.observe({}, value);
		const [metric] = parsePrometheus(registry.text());
		expect(metric).toMatchObject({
			name: 'time_seconds',
			type: 'HISTOGRAM',
			metrics: [{ buckets: { '0.1': '2', '1': '3', '+Inf': '4' }, sum: '7.65', count: '4' }],
		});
	});

	it('reads observed values only when the text is asked for, and adds those with equal labels', () => {
		const registry = new MetricRegistry();
		let reads = 0;
		registry.observed('children', 'Children.', () => {
			reads++;
			return [
				[{ of: 'a' }, 1],
				[{ of: 'a' }, 1],
				[{ of: 'b' }, Number.NaN],
			];
		});
		expect(reads).toBe(0);
		expect(registry.text()).toContain('children{of="a"} 2\n');
		expect(registry.text()).not.toContain('of="b"');
	});

	it('counts label sets above the limit in one series', () => {
		const registry = new MetricRegistry();
		const calls = registry.counter({ name: 'calls_total', help: 'Calls.' });
		for (let at = 0; at < 3 * SERIES_LIMIT; at++) calls.add({ tool: `t${at}` });
		calls.add({ tool: 't0' });
		const series = registry.text().split('\n').slice(2, -1);
		expect(series).toHaveLength(SERIES_LIMIT);
		expect(series[0]).toBe('calls_total{tool="t0"} 2');
		expect(series.at(-1)).toBe(`calls_total{otel_metric_overflow="true"} ${2 * SERIES_LIMIT + 1}`);
	});

	it('writes any label value so that a parser reads it', () => {
		const label = fc.string({ unit: 'binary', maxLength: 12 });
		fc.assert(
			fc.property(label, (value) => {
				const registry = new MetricRegistry();
				registry.counter({ name: 'calls_total', help: 'a\\b\nc' }).add({ tool: value });
				const lines = registry.text().split('\n');
				expect(lines).toHaveLength(4);
				expect(lines[2]).toMatch(/^calls_total\{tool="(?:[^"\\\n]|\\[\\n"])*"\} 1$/);
			}),
		);
	});
});

describe('Histogram', () => {
	it('counts each value once', () => {
		fc.assert(
			fc.property(fc.array(fc.double({ noNaN: true, min: 0, max: 1000 })), (values) => {
				const histogram = new Histogram([1, 10, 100]);
				for (const value of values) histogram.observe(value);
				expect(histogram.count).toBe(values.length);
				expect(histogram.cumulative).toEqual(
					[1, 10, 100].map((bound) => values.filter((value) => value <= bound).length),
				);
			}),
		);
	});
});
