/* The tokens of lists, as the hub writes them to its journal. */
import { expect, it } from 'vitest';
import type { Journal, JournalTokens } from '../../../src/hub/journal/journal.ts';
import { realServer } from '../../support/mcp-folder.ts';
import { gateway, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

it('has what an agent read, and what search mode and its view spared it', async () => {
	const lines: JournalTokens[] = [];
	const journal: Journal = {
		write: () => {},
		writeTokens: (entry) => lines.push(entry),
		close: async () => {},
	};
	const more = {
		views: { small: { allow: ['memory__read*'] } },
		clients: { seeker: { expose: 'search' }, viewer: { view: 'small' } },
	};
	const served = await serveServers({ memory: realServer('memory') }, { more, journal });
	for (const name of ['plain', 'viewer', 'seeker', 'mctl']) {
		const client = await served.client({ name, sessionId: name });
		await client.request('tools/list');
		// A second page, or the same list once more, costs a client nothing that it has not read.
		await client.request('tools/list');
	}
	await until('three lists are measured', () => lines.length === 3);
	const of = (client: string): JournalTokens['tokens'] =>
		lines.find((line) => line.client === client)?.tokens ?? {};
	const all = of('plain').sent ?? 0;
	expect(of('plain')).toEqual({ sent: expect.any(Number), search: 0, views: 0 });
	expect((of('viewer').sent ?? 0) + (of('viewer').views ?? 0)).toBe(all);
	expect(of('viewer').views).toBeGreaterThan(0);
	expect((of('seeker').sent ?? 0) + (of('seeker').search ?? 0)).toBe(all);
	expect(of('seeker').search).toBeGreaterThan(0);
});

it('has what the budget of an agent spared it', async () => {
	const lines: JournalTokens[] = [];
	const journal: Journal = {
		write: () => {},
		writeTokens: (entry) => lines.push(entry),
		close: async () => {},
	};
	const served = await serveServers({ gate: gateway() }, { journal });
	const client = await served.client({ name: 'claude-code' });
	await client.call('gate__echo', { text: 'a line\n'.repeat(20_000) });
	const [line] = lines.filter(({ tool }) => tool === 'gate__echo');
	expect(line).toMatchObject({ client: 'claude-code', backend: 'gate' });
	expect(line?.tokens.budget).toBeGreaterThan(25_000);
});
