import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MATCHES_LIMIT } from '../../../src/hub/results/result-limits.ts';
import { readResultPage } from '../../../src/hub/results/result-page.ts';
import type { StoredResult } from '../../../src/hub/results/stored-result.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const folder = temporaryFolder();

describe('readResultPage', () => {
	it('returns the whole text, page by page, wherever the pages are cut', async () => {
		const text = fc.string({ unit: 'grapheme', maxLength: 60 });
		await fc.assert(
			fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), async (whole, length) => {
				expect(await readAll(stored(whole), length)).toBe(whole);
			}),
		);
	});

	it('names the next page, and none after the last', async () => {
		const first = await readResultPage('r://1?offset=0&length=3', stored('abcde'));
		expect(first).toMatchObject({ text: 'abc', _meta: { 'orchestra/next': 'r://1?offset=3&length=3' } });
		const last = await readResultPage('r://1?offset=3&length=3', stored('abcde'));
		expect(last).toMatchObject({ text: 'de', _meta: { 'orchestra/size': 5 } });
		expect(last._meta).not.toHaveProperty('orchestra/next');
	});

	it('returns bytes in base64', async () => {
		const image = { ...stored('abcdef'), isText: false, mimeType: 'image/png' };
		const page = await readResultPage('r://1?offset=2&length=2', image);
		expect(page).toMatchObject({ blob: Buffer.from('cd').toString('base64'), mimeType: 'image/png' });
		await expect(readResultPage('r://1?grep=c', image)).rejects.toMatchObject({ code: 'bad_input' });
	});

	it('refuses an offset that is not a number, naming it', async () => {
		await expect(readResultPage('r://1?offset=-1', stored('a'))).rejects.toThrow(
			'offset must be a whole number, not "-1"',
		);
	});

	it('finds a text with its line and its offset, ignoring case', async () => {
		const page = await readResultPage('r://1?grep=NEEDLE', stored('é hay\nhay needle hay\nhay'));
		expect(page.text).toBe('11: hay needle hay');
	});

	it('treats the wanted text as text and not as a pattern', async () => {
		expect((await readResultPage('r://1?grep=a.c', stored('abc'))).text).toBe('"a.c" is not in this result');
	});

	it('says that there are more places than it shows', async () => {
		const page = await readResultPage('r://1?grep=x', stored('x '.repeat(MATCHES_LIMIT + 1)));
		expect(page.text?.split('\n')).toHaveLength(MATCHES_LIMIT + 1);
		expect(page.text).toContain(`more than ${MATCHES_LIMIT} places`);
	});
});

let count = 0;
function stored(text: string): StoredResult {
	const name = `result-${count++}`;
	const header = '{}\n';
	writeFiles(folder, { [name]: header + text });
	const about = { mimeType: 'text/plain', isText: true, tool: 't', client: 'c', owner: 'o', at: 0 };
	const place = { handle: name, path: `${folder}/${name}`, from: header.length, isPinned: false };
	return { ...about, ...place, bytes: Buffer.byteLength(text) };
}

async function readAll(result: StoredResult, length: number): Promise<string> {
	let whole = '';
	let uri: unknown = `r://1?offset=0&length=${length}`;
	while (typeof uri === 'string') {
		const page = await readResultPage(uri, result);
		whole += page.text;
		uri = page._meta?.['orchestra/next'];
	}
	return whole;
}
