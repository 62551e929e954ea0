import { describe, expect, it } from 'vitest';
import type { CallDetails } from '../../src/dashboard/api/api-calls.ts';
import { CallLog } from '../../src/dashboard/calls/call-log.ts';
import { defaultDashboardLimits } from '../../src/dashboard/dashboard-limits.ts';
import { OrchestraError } from '../../src/errors.ts';
import type { CallEnd, StartedCall } from '../../src/hub/call-feed.ts';

describe('CallLog', () => {
	it('explains calls that failed or were slow after thousands of others, and invents no phases', () => {
		const log = new CallLog({ ...defaultDashboardLimits, details: 10 });
		make(log, { outcome: 'error', ms: 3, thrown: new OrchestraError('timeout', 'no answer') });
		make(log, { outcome: 'ok', ms: 2000, phases: { start: 1500, run: 500 } });
		make(log, { outcome: 'ok', ms: 3 });
		const running = begin(log);
		for (let count = 0; count < 5000; count++) make(log, { outcome: 'ok', ms: 1 });
		expect(detailsOf(log, 1).explanation).toMatchObject({ code: 'timeout', message: 'no answer' });
		expect(detailsOf(log, 1).phases).toEqual([{ name: 'run', startMs: 0, ms: 3 }]);
		expect(detailsOf(log, 2).phases.map(({ name }) => name)).toEqual(['start', 'run']);
		expect(detailsOf(log, 3)).toMatchObject({ outcome: 'ok', ms: 3, phases: [], arguments: null });
		log.notified(running, 'notifications/progress', { progress: 1 });
		expect(detailsOf(log, 4)).toMatchObject({ arguments: '{"a":1}', progress: [{ progress: 1 }] });
	});

	it('keeps the messages of calls within a budget', () => {
		const log = new CallLog({ ...defaultDashboardLimits, detailCharacters: 10_000 });
		const message = { level: 'info', data: 'x'.repeat(1000) };
		const calls = Array.from({ length: 50 }, () => begin(log));
		for (const call of calls) log.notified(call, 'notifications/message', message);
		const kept = (): number => calls.reduce((sum, _, at) => sum + detailsOf(log, at + 1).logs.length, 0);
		expect(kept()).toBeLessThanOrEqual(10);
		expect(detailsOf(log, 50)).toMatchObject({ dropped: 1, logs: [] });
		for (const call of calls) log.ended(call, { outcome: 'error', ms: 1 });
		make(log, { outcome: 'ok', ms: 1 });
		log.notified(begin(log), 'notifications/message', message);
		expect(detailsOf(log, 52).logs).toHaveLength(1);
	});
});

let last = 0;

function begin(log: CallLog): StartedCall {
	const about = { client: 'c', backend: 'b', method: 'tools/call', name: 'n' };
	const call = { ...about, number: ++last, startedAt: new Date(), beganAt: 0, arguments: { a: 1 } };
	log.started(call);
	return call;
}

function make(log: CallLog, end: CallEnd): void {
	log.ended(begin(log), end);
}

function detailsOf(log: CallLog, number: number): CallDetails {
	const details = log.details(number);
	if (details === undefined) throw new Error(`no call ${number}`);
	return details;
}
