/* Loop protection, as agents and their users meet it, on both ways through the hub. */
import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/hub/journal/journal.ts';
import { HubMetrics } from '../../../src/hub/metrics/hub-metrics.ts';
import { ApprovalFiles } from '../../../src/trust/approval-files.ts';
import { decideApproval } from '../../../src/trust/decide-approval.ts';
import { gateway, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

it.each(['plain', 'general'])('stops an agent that repeats itself, on the %s route', async (route) => {
	const lines: JournalEntry[] = [];
	const served = await serve({}, lines);
	const metrics = new HubMetrics(served.opened.hub);
	if (route === 'general') served.opened.hub.calls.listen({});
	const client = await served.client({ name: 'claude-code' });
	const say = (text: string): Promise<string> => client.call('gate__echo', { text });
	for (let count = 0; count < 20; count++) expect(await say('again')).toBe('again');
	expect(await say('again')).toMatch(
		/^gate__echo was not called: .* 20 times in a row within a minute \(limits\.identicalCalls\)\. It can be called again in \d+ s, or now with other arguments\.$/,
	);
	expect(await say('other')).toBe('other');
	const routes = metrics.text();
	expect(routes).toMatch(/orchestra_calls_limited_total\{.*orchestra_limit="limits\.identicalCalls".*\} 1/);
	expect(routes.includes('orchestra_route="plain"')).toBe(route === 'plain');
	metrics.close();
	expect(lines.filter(({ policy }) => policy === 'deny')).toMatchObject([
		{ name: 'gate__echo', rule: 'limits.identicalCalls', outcome: 'failed' },
	]);
});

it('lets programs and users repeat themselves, unless the configuration says otherwise', async () => {
	const served = await serve({});
	const program = await served.client({ name: 'poller' });
	for (let count = 0; count < 25; count++) expect(await program.call('gate__echo', { text: 'x' })).toBe('x');
	const strict = await serve({ identicalCalls: 2 });
	const again = await strict.client({ name: 'poller' });
	const user = await strict.client({ name: 'mctl' });
	const said = async (client: typeof user): Promise<boolean[]> => {
		const answers: string[] = [];
		for (let count = 0; count < 3; count++) answers.push(await client.call('gate__echo', { text: 'x' }));
		return answers.map((text) => text === 'x');
	};
	expect(await said(again)).toEqual([true, true, false]);
	expect(await said(user)).toEqual([true, true, true]);
});

it('counts calls a minute for each client, and names the limit', async () => {
	const served = await serve({ callsPerMinute: { tool: 2 } });
	const [one, other] = [await served.client({ name: 'one' }), await served.client({ name: 'other' })];
	for (const text of ['a', 'b']) expect(await one.call('gate__echo', { text })).toBe(text);
	expect(await one.call('gate__echo', { text: 'c' })).toContain('(limits.callsPerMinute.tool)');
	expect(await other.call('gate__echo', { text: 'c' })).toBe('c');
});

it('goes on when a user approves it', async () => {
	const served = await serve({ identicalCalls: 1, exceeded: 'ask' });
	const client = await served.client({ name: 'agent' });
	const say = (): Promise<string> => client.call('gate__echo', { text: 'x' });
	expect(await say()).toBe('x');
	const waiting = say();
	const files = ApprovalFiles.ofUser(served.environment);
	await until('the call waits', () => files.list().length === 1);
	const [request] = files.list();
	if (request === undefined) throw new Error('nothing waits');
	expect(request).toMatchObject({
		rule: 'limits.identicalCalls',
		reason: expect.stringContaining('in a row'),
	});
	const { environment } = served;
	await decideApproval(files, request, { decision: 'allow', isAlways: false, environment });
	expect(await waiting).toBe('x');
});

function serve(limits: object, lines: JournalEntry[] = []): Promise<ServedHub> {
	const journal = { write: (entry: JournalEntry) => void lines.push(entry), close: async () => {} };
	return serveServers({ gate: gateway() }, { more: { limits: { listMs: 20_000, ...limits } }, journal });
}
