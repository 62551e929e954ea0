import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileJournal } from '../../../src/hub/journal/journal.ts';
import { readUsage } from '../../../src/hub/usage/read-usage.ts';
import { UsageCounts } from '../../../src/hub/usage/usage-counts.ts';
import type { UsageReport } from '../../../src/hub/usage/usage-report.ts';
import { Log } from '../../../src/log.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const now = Date.parse('2026-06-30T00:00:00Z');
const DAY_MS = 86_400_000;
const nothing = { tools: [], servers: [] };

describe('UsageCounts', () => {
	it('counts calls and failures, and has the percentiles that sorting by hand has', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), (times) => {
				const lines = times.map((ms, at) => line({ ms, outcome: at % 2 === 0 ? 'ok' : 'failed' }));
				const { totals } = reportOf(lines);
				const sorted = times.toSorted((one, other) => one - other);
				expect(totals).toMatchObject({
					calls: times.length,
					failed: Math.floor(times.length / 2),
					p50Ms: sorted[Math.ceil(times.length * 0.5) - 1],
					p95Ms: sorted[Math.ceil(times.length * 0.95) - 1],
				});
			}),
		);
	});

	it('has a row for each server, tool and client, with the tokens of arguments and results', () => {
		const report = reportOf([
			line({ name: 'a__one', argumentsBytes: 40, resultBytes: 401 }),
			line({ name: 'a__one', client: 'cursor' }),
			line({ backend: 'b', name: 'b__two', client: 'cursor' }),
		]);
		expect(report.tools.map(({ name, server, calls }) => [name, server, calls])).toEqual([
			['a__one', 'a', 2],
			['b__two', 'b', 1],
		]);
		expect(report.servers[0]).toMatchObject({ name: 'a', argumentTokens: 10, resultTokens: 101 });
		expect(report.clients.map(({ name, calls }) => [name, calls])).toEqual([
			['cursor', 2],
			['claude', 1],
		]);
	});

	it('has the tokens that lists cost a client, and those that it was spared', () => {
		const tokens = (of: object): string => JSON.stringify({ at: at(0), client: 'claude', ...of });
		const report = reportOf([
			tokens({ tokens: { sent: 100, search: 900, views: 50 } }),
			tokens({ backend: 'a', tool: 'a__one', tokens: { budget: 7000 } }),
		]);
		expect(report.clients).toMatchObject([
			{ calls: 0, definitionTokens: 100, saved: { search: 900, views: 50, budget: 7000 } },
		]);
		expect(report.tools).toMatchObject([{ name: 'a__one', saved: { search: 0, budget: 7000 } }]);
	});

	it('puts calls on the timeline, and leaves those of another time out', () => {
		const { timeline, totals } = reportOf([line({ at: at(9) }), line({ at: at(1) }), line({ at: at(0) })], 2);
		expect(totals.calls).toBe(2);
		expect(timeline.calls.flatMap((count, step) => (count > 0 ? [step] : []))).toEqual([29, 59]);
		expect(timeline.from + timeline.stepMs * timeline.calls.length).toBeGreaterThan(now);
	});

	it('names servers and tools without a call in 30 days, with the command that leaves them out', () => {
		const lines = [line({ at: at(29) }), line({ at: at(31), backend: 'old', name: 'old__x' })];
		const tools = ['a__one', 'a__two', 'old__x'].map((name, rank) => ({
			name,
			server: name.split('__')[0] ?? '',
			tokens: 10 * rank,
		}));
		// The time of the report is another one.
		expect(reportOf(lines, 1, { tools, servers: ['a', 'old'] }).unused).toEqual([
			{ kind: 'server', name: 'old', server: 'old', definitionTokens: 20, command: 'mctl disable old' },
			{
				kind: 'tool',
				name: 'a__two',
				server: 'a',
				definitionTokens: 10,
				command: 'mctl policy add a__two deny --hide',
			},
		]);
	});

	it('skips lines that are no lines of a journal', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
				expect(reportOf([text, line({})]).totals.calls).toBe(1);
			}),
		);
	});
});

describe('readUsage', () => {
	it('reads the journals of the hub and of other processes, the newest part first', async () => {
		const file = join(temporaryFolder(), 'journal.ndjson');
		mkdirSync(join(file, '../serve'), { mode: 0o700 });
		const other = join(file, '../serve/2026-06-29-1.ndjson');
		for (const path of [`${file}.1`, file, other]) await journalWith(path, 3);
		expect((await readAll(file)).totals.calls).toBe(9);
	});

	it('says so when older lines do not fit, and skips the line that is cut', async () => {
		const file = join(temporaryFolder(), 'journal.ndjson');
		await journalWith(file, 100);
		const { totals, isCut } = await readAll(file, 2000);
		expect(isCut).toBe(true);
		expect(totals.calls).toBeGreaterThan(0);
		expect(totals.calls).toBeLessThan(20);
	});

	it('has no calls without a journal, and refuses what is no file', async () => {
		const file = join(temporaryFolder(), 'journal.ndjson');
		expect((await readAll(file)).journalFrom).toBeNull();
		writeFileSync(file, `${'x'.repeat(300_000)}\n${line({})}\n`, { mode: 0o600 });
		expect((await readAll(file)).totals.calls).toBe(1);
	});
});

function at(days: number): string {
	return new Date(now - days * DAY_MS).toISOString();
}

function line(of: object): string {
	const call = { client: 'claude', backend: 'a', method: 'tools/call', name: 'a__one', ms: 5, outcome: 'ok' };
	return JSON.stringify({ at: at(0), ...call, ...of });
}

function reportOf(
	lines: readonly string[],
	days = 30,
	parts = nothing as Parameters<UsageCounts['report']>[0],
): UsageReport {
	const counts = new UsageCounts(now - days * DAY_MS, now);
	for (const text of lines) counts.add(text);
	return counts.report(parts);
}

async function journalWith(file: string, calls: number): Promise<void> {
	const journal = fileJournal(file, Log.silent);
	const call = { client: 'c', backend: 'b', method: 'tools/call', name: 't', ms: 1, outcome: 'ok' } as const;
	for (let n = 0; n < calls; n++) journal.write({ ...call, startedAt: new Date(now) });
	await journal.close();
}

function readAll(file: string, limitBytes?: number): Promise<UsageReport> {
	const options = limitBytes === undefined ? {} : { limitBytes };
	return readUsage(file, { since: now - DAY_MS, until: now }, nothing, options);
}
