/* The order of what happens to a call: what the journal sees, and what the client gets. */
import { expect, it } from 'vitest';
import type { JournalEntry } from '../../src/hub/journal/journal.ts';
import { jsonOf } from '../../src/wire/json-text.ts';
import { gateway, type ServedHub, serveServers } from '../support/served-hub.ts';

const BYTES = 50_000;

it.each(['plain', 'general'])(
	'the journal has the result as the server returned it, and the client its first part, on the %s route',
	async (route) => {
		const { served, lines } = await serve({});
		if (route === 'general') served.opened.hub.calls.listen({});
		const client = await served.client({ name: 'claude-code' });
		const shown = await client.call('gate__big', { bytes: BYTES });
		expect(shown.length).toBeLessThan(BYTES);
		expect(lines).toMatchObject([{ name: 'gate__big', outcome: 'ok' }]);
		expect(jsonOf(lines[0]?.result)?.length).toBeGreaterThan(BYTES);
	},
);

it('the journal has a line for a call that the policy refused', async () => {
	const { served, lines } = await serve({ policy: [{ tools: 'gate__echo', action: 'deny' }] });
	const client = await served.client();
	expect(await client.call('gate__echo', { text: 'x' })).toContain('was not called');
	expect(lines).toMatchObject([{ name: 'gate__echo', policy: 'deny', outcome: 'failed' }]);
});

async function serve(more: object): Promise<{ served: ServedHub; lines: JournalEntry[] }> {
	const lines: JournalEntry[] = [];
	const journal = { write: (entry: JournalEntry) => void lines.push(entry), close: async () => {} };
	const limits = { listMs: 20_000 };
	return { served: await serveServers({ gate: gateway() }, { more: { limits, ...more }, journal }), lines };
}
