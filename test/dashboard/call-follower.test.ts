/* Calls that happen while no page is open are read from the journal when one opens. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CallFollower } from '../../src/dashboard/calls/call-follower.ts';
import { CallLog } from '../../src/dashboard/calls/call-log.ts';
import { defaultDashboardLimits } from '../../src/dashboard/dashboard-limits.ts';
import type { CallListener, StartedCall } from '../../src/hub/call-feed.ts';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import { callServer } from '../support/mcp-folder.ts';
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
	const listeners = new Set<CallListener>();
	const listen = (listener: CallListener): (() => void) => {
		const stop = hub.calls.listen(listener);
		listeners.add(listener);
		return () => {
			listeners.delete(listener);
			stop();
		};
	};
	const watched = { calls: { listen }, flushJournal: () => hub.flushJournal() };
	const followed = new CallFollower({ hub: watched, calls, journalFile, followMs: 0 });
	const client = await served.client({});
	const names = (): unknown[] =>
		calls.ring.rows({}, { before: undefined, limit: 9 }).rows.map(({ number, outcome }) => [number, outcome]);
	const call = (): Promise<unknown> => client.call('one__echo', { text: 'a' });
	await call();
	expect([listeners.size, names()]).toEqual([0, []]);
	const page = new EventEmitter();
	// Only its end is awaited.
	followed.use(page as ServerResponse);
	await call();
	expect([listeners.size, names()]).toEqual([
		1,
		[
			[2, 'ok'],
			[1, 'ok'],
		],
	]);
	const slow = client.call('one__sleep', { ms: 400 });
	await until('it runs', () => calls.ring.size === 3);
	page.emit('close');
	await until('nobody follows', () => listeners.size === 0);
	await slow;
	await call();
	expect(names()).toHaveLength(3);
	followed.use(new EventEmitter() as ServerResponse);
	expect(names()).toEqual([
		[4, 'ok'],
		[3, 'ok'],
		[2, 'ok'],
		[1, 'ok'],
	]);
	expect(calls.counts.of('one').callsPerMinute.reduce((sum, count) => sum + count)).toBe(4);
	followed.close();
});

it('follows calls that pass as text, with their arguments, progress, logs and failures', async () => {
	const served = await serveServers({ py: callServer });
	const { hub } = served.opened;
	const calls = new CallLog(defaultDashboardLimits);
	const plain: StartedCall[] = [];
	const followed = new CallFollower({ hub, calls, journalFile: '', followMs: 0 });
	followed.use(new EventEmitter() as ServerResponse);
	onTestFinished(() => followed.close());
	hub.calls.listen({ takesText: true, started: (call) => call.isPlain && plain.push(call) });
	const client = await served.client({ name: 'agent' });
	// The first call starts the server, by the general route.
	await client.call('py__add', { numbers: [1] });
	await client.call('py__add', { numbers: [2], options: { key: `sk-${'a1B2c3D4'.repeat(6)}` } });
	await client.call('py__talk');
	await client.call('py__refuse');
	await client.call('py__add', { numbers: [3], options: { long: 'x'.repeat(5000) } });
	expect(plain.map(({ name }) => name)).toEqual(['py__add', 'py__talk', 'py__refuse', 'py__add']);
	expect(calls.details(2)).toMatchObject({
		client: 'agent',
		outcome: 'ok',
		phases: [{ name: 'run' }],
		arguments: '{"numbers":[2],"options":{"key":"•••"}}',
		sessionId: calls.details(1)?.sessionId,
	});
	expect(calls.details(3)).toMatchObject({
		progress: [
			{ progress: 1, total: 2 },
			{ progress: 2, total: 2 },
		],
		logs: [{ level: 'warning', logger: 'talk' }],
	});
	expect(calls.details(4)).toMatchObject({ outcome: 'failed', explanation: { message: 'not today' } });
	expect(calls.details(5)).toMatchObject({ arguments: null, command: null });
});

it('shows a call that passes as text while it runs', async () => {
	const served = await serveServers({ py: callServer });
	const calls = new CallLog(defaultDashboardLimits);
	const followed = new CallFollower({ hub: served.opened.hub, calls, journalFile: '', followMs: 0 });
	followed.use(new EventEmitter() as ServerResponse);
	onTestFinished(() => followed.close());
	const client = await served.client();
	await client.call('py__add', { numbers: [1] });
	const stopping = new AbortController();
	const hanging = client.call('py__hang', {}, { signal: stopping.signal }).catch(() => {});
	await until('it says something', () => (calls.details(2)?.logs.length ?? 0) > 0);
	expect(calls.details(2)).toMatchObject({
		outcome: 'running',
		phase: 'run',
		phases: [{ name: 'run' }],
		logs: [{ text: 'hanging' }],
	});
	stopping.abort();
	await hanging;
	await until('it ended', () => calls.details(2)?.outcome === 'canceled');
});
