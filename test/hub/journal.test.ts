import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileJournal } from '../../src/hub/journal.ts';
import { Log } from '../../src/log.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('fileJournal', () => {
	it.each([
		['orchestr8://match?query=token%3Dsk-SECRET&api_key=sk-SECRET', 'orchestr8://match?…'],
		['file:///notes/a.md#sk-SECRET', 'file:///notes/a.md#…'],
		['x://a?one\nsk-SECRET', 'x://a?…'],
		['https://me:sk-SECRET@example.com/a@b', 'https://…@example.com/a@b'],
		['https://sk-SECRET@example.com?mail=a@b', 'https://…@example.com?…'],
		['orchestr8://docs/a.md', 'orchestr8://docs/a.md'],
		['files__what?', 'files__what?'],
	])('writes %j as %j', async (name, written) => {
		const text = await journalOf(name);
		expect(JSON.parse(text)).toMatchObject({ name: written, method: 'resources/read', ms: 1 });
		expect(text).not.toContain('SECRET');
	});
});

async function journalOf(name: string): Promise<string> {
	const file = join(temporaryFolder(), 'journal.ndjson');
	const journal = fileJournal(file, Log.silent);
	const call = { client: 'c', backend: 'b', method: 'resources/read', name };
	journal.write({ ...call, startedAt: new Date(), ms: 1, outcome: 'ok' });
	await journal.close();
	return readFileSync(file, 'utf8');
}
