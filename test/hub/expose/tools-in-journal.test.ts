/* What the hub knows of earlier calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import { toolsInJournal } from '../../../src/hub/expose/tools-in-journal.ts';
import { fileJournal } from '../../../src/hub/journal/journal.ts';
import { Log } from '../../../src/log.ts';
import { temporaryFolder } from '../../support/workspace.ts';

it('reads the successful calls of tools from the journal', async () => {
	const file = join(temporaryFolder(), 'journal.ndjson');
	const journal = fileJournal(file, Log.silent);
	const call = { client: 'a', backend: 'b', startedAt: new Date(), ms: 1 };
	journal.write({ ...call, method: 'tools/call', name: 'good', outcome: 'ok' });
	journal.write({ ...call, method: 'tools/call', name: 'bad', outcome: 'failed' });
	journal.write({ ...call, method: 'prompts/get', name: 'prompt', outcome: 'ok' });
	await journal.close();
	expect(toolsInJournal(file)).toEqual(['good']);
});

it('reads the end of a long journal, and nothing of one that is missing, broken or open to others', () => {
	const file = join(temporaryFolder(), 'journal.ndjson');
	const line = `${JSON.stringify({ method: 'tools/call', name: 'x', outcome: 'ok', pad: 'p'.repeat(1000) })}\n`;
	writeFileSync(file, line.repeat(3000), { mode: 0o600 });
	expect(toolsInJournal(file).length).toBeGreaterThan(900);
	expect(toolsInJournal(file).length).toBeLessThan(1100);
	writeFileSync(file, '{"method":\n\0\n');
	expect(toolsInJournal(file)).toEqual([]);
	expect(toolsInJournal(join(file, 'none'))).toEqual([]);
	expect(toolsInJournal(undefined)).toEqual([]);
});

it('counts the calls of the journal in place of those it knew', () => {
	const usage = new ToolUsage();
	usage.used('a');
	usage.recount(['a', 'b', 'b']);
	expect(usage.of('b')).toBeGreaterThan(usage.of('a'));
	const once = new ToolUsage();
	once.used('a');
	expect(usage.of('a')).toBe(once.of('a'));
});
