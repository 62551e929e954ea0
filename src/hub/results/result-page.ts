/*
 * Read a stored result in parts: `?offset=&length=` is a range of bytes, cut between
 * characters; `?grep=` finds a text and shows it with its surroundings and its offset.
 */
import { readFile } from 'node:fs/promises';
import { OrchestraError } from '../../errors.ts';
import { readSpan } from '../../files/read-span.ts';
import type { ResourceContent } from '../../protocol/mcp-types.ts';
import { literalSource } from '../../trust/wildcard.ts';
import { AROUND_CHARACTERS, MATCHES_LIMIT, PAGE_BYTES, PAGE_LIMIT_BYTES } from './result-limits.ts';
import type { StoredResult } from './stored-result.ts';

/** The part of a stored result that the query of `uri` names. Rejects with `bad_input`. */
export async function readResultPage(uri: string, stored: StoredResult): Promise<ResourceContent> {
	const query = new URLSearchParams(uri.split('?')[1] ?? '');
	const grep = query.get('grep');
	if (grep !== null && grep !== '') return searchResult(uri, grep, stored);
	const offset = wholeNumber(query, 'offset', 0);
	const length = Math.min(wholeNumber(query, 'length', PAGE_BYTES), PAGE_LIMIT_BYTES);
	const { start, bytes } = trimmed(await readRange(stored, offset, length), offset, length, stored);
	const end = start + bytes.length;
	const base = uri.split('?')[0] ?? uri;
	const about = {
		'orchestra/size': stored.bytes,
		'orchestra/offset': start,
		...(end < stored.bytes && { 'orchestra/next': `${base}?offset=${end}&length=${length}` }),
	};
	const content = stored.isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
	return { uri, mimeType: stored.mimeType, ...content, _meta: about };
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
	const text = query.get(name);
	if (text === null || text === '') return otherwise;
	if (/^\d{1,15}$/.test(text)) return Number(text);
	throw new OrchestraError('bad_input', `${name} must be a whole number, not "${text}"`, {
		hint: 'Use ?offset=0&length=65536, in bytes, or ?grep=text.',
	});
}

/** Three bytes more than requested: a character has at most four. */
function readRange({ path, from }: StoredResult, offset: number, length: number): Promise<Buffer> {
	return readSpan(path, from + offset, length + 3);
}

/** The range without half characters: it begins and ends at the first byte of one. */
function trimmed(
	bytes: Buffer,
	offset: number,
	length: number,
	{ isText }: StoredResult,
): { start: number; bytes: Buffer } {
	if (!isText) return { start: offset, bytes: bytes.subarray(0, length) };
	const from = characterAt(bytes, 0);
	const to = Math.max(from, characterAt(bytes, Math.min(length, bytes.length)));
	return { start: offset + from, bytes: bytes.subarray(from, to) };
}

/** The index of the first byte of a character at or after `index`. */
function characterAt(bytes: Buffer, index: number): number {
	let at = index;
	while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
	return at;
}

async function searchResult(uri: string, wanted: string, stored: StoredResult): Promise<ResourceContent> {
	if (!stored.isText) {
		throw new OrchestraError(
			'bad_input',
			`this result is ${stored.mimeType}: it cannot be searched as text`,
			{
				hint: 'Read it with ?offset=0&length=65536.',
			},
		);
	}
	const text = (await readFile(stored.path)).toString('utf8', stored.from);
	const found: string[] = [];
	let bytes = 0;
	let counted = 0;
	for (const { index, 0: match } of text.matchAll(new RegExp(literalSource(wanted), 'gi'))) {
		if (found.length === MATCHES_LIMIT) {
			found.push(`… more than ${MATCHES_LIMIT} places; search for a longer text`);
			break;
		}
		bytes += Buffer.byteLength(text.slice(counted, index));
		counted = index;
		found.push(`${bytes}: ${surroundings(text, index, match.length)}`);
	}
	const message = found.length === 0 ? `"${wanted}" is not in this result` : found.join('\n');
	return { uri, mimeType: 'text/plain', text: message, _meta: { 'orchestra/size': stored.bytes } };
}

/** The rest of the line, at most some characters in both directions. */
function surroundings(text: string, index: number, length: number): string {
	const before = text.slice(Math.max(0, index - AROUND_CHARACTERS), index);
	const after = text.slice(index, index + length + AROUND_CHARACTERS);
	return `${before.slice(before.lastIndexOf('\n') + 1)}${after.split('\n')[0] ?? ''}`;
}
