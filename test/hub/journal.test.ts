import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import { canonicalJson } from '../../src/wire/canonical-json.ts';
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

describe('the hashes of a line', () => {
	const big = {
		text: `${'é'.repeat(700_000)}😀`,
		a: [1, null, { z: undefined, y: true }],
		'"': 'x'.repeat(400_000),
	};
	const start = (text: string): Buffer => Buffer.from(text).subarray(0, 256 * 1024);

	it('are those of the arguments with sorted keys and of the result as it is', async () => {
		const line = await lineWith({ arguments: { b: [2], a: 'é' }, result: { z: 1, content: [] } });
		expect(line).toMatchObject({
			argumentsBytes: 18,
			argumentsSha256: sha256('{"a":"é","b":[2]}'),
			resultBytes: 20,
			resultSha256: sha256('{"z":1,"content":[]}'),
		});
		expect(line).not.toHaveProperty('argumentsHashedBytes');
	});

	it.each([
		['that is encoded whole', { text: 'é'.repeat(300_000) }],
		['of which the beginning is encoded', big],
		[
			'of which the beginning is encoded, with many parts',
			Array.from({ length: 130_000 }, (_, n) => ({ n })),
		],
	])('are those of the first 256 KiB of a large value %s', async (_which, value) => {
		const line = await lineWith({ arguments: value, result: value });
		expect(line).toMatchObject({
			argumentsSha256: sha256(start(canonicalJson(value))),
			argumentsHashedBytes: 256 * 1024,
			resultSha256: sha256(start(JSON.stringify(value))),
			resultHashedBytes: 256 * 1024,
		});
	});
});

function sha256(data: string | Buffer): string {
	return createHash('sha256').update(data).digest('hex');
}

async function lineWith(facts: { arguments: unknown; result: unknown }): Promise<object> {
	const file = join(temporaryFolder(), 'journal.ndjson');
	const journal = fileJournal(file, Log.silent);
	const call = { client: 'c', backend: 'b', method: 'tools/call', name: 't', ...facts };
	journal.write({ ...call, startedAt: new Date(), ms: 1, outcome: 'ok' });
	await journal.close();
	return JSON.parse(readFileSync(file, 'utf8'));
}

async function journalOf(name: string): Promise<string> {
	const file = join(temporaryFolder(), 'journal.ndjson');
	const journal = fileJournal(file, Log.silent);
	const call = { client: 'c', backend: 'b', method: 'resources/read', name };
	journal.write({ ...call, startedAt: new Date(), ms: 1, outcome: 'ok' });
	await journal.close();
	return readFileSync(file, 'utf8');
}
