/* Calls that happen while no page is open are read from the journal when one opens. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CallFollower } from '../../src/dashboard/calls/call-follower.ts';
import { CallLog } from '../../src/dashboard/calls/call-log.ts';
import { defaultDashboardLimits } from '../../src/dashboard/dashboard-limits.ts';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import { gateway, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

it('follows calls while a page is open only, and shows all of them', async () => {
	const journalFile = join(temporaryFolder(), 'journal.ndjson');
	const served = await serveServers(
		{ one: gateway({}, 'normal', { STARTS: '/dev/null' }) },
		{ journal: fileJournal(journalFile, Log.silent) },
	);
	const { hub } = served.opened;
	const calls = new CallLog(defaultDashboardLimits);
	const followed = new CallFollower({ hub, calls, journalFile, followMs: 0 });
	const client = await served.client({});
	const names = (): unknown[] =>
		calls.ring.rows({}, { before: undefined, limit: 9 }).rows.map(({ number, outcome }) => [number, outcome]);
	const call = (): Promise<unknown> => client.call('one__echo', { text: 'a' });
	await call();
	expect([hub.calls.needsValues, names()]).toEqual([false, []]);
	const page = new EventEmitter();
	// Only its end is awaited.
	followed.use(page as ServerResponse);
	await call();
	expect([hub.calls.needsValues, names()]).toEqual([
		true,
		[
			[1, 'ok'],
			[-1, 'ok'],
		],
	]);
	const slow = client.call('one__sleep', { ms: 400 });
	await until('it runs', () => calls.ring.size === 3);
	page.emit('close');
	await until('nobody follows', () => !hub.calls.needsValues);
	await slow;
	await call();
	expect(names()).toHaveLength(3);
	followed.use(new EventEmitter() as ServerResponse);
	expect(names()).toEqual([
		[3, 'ok'],
		[2, 'ok'],
		[1, 'ok'],
		[-1, 'ok'],
	]);
	expect(calls.counts.of('one').callsPerMinute.reduce((sum, count) => sum + count)).toBe(4);
	followed.close();
});
