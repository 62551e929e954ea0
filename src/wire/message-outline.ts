/*
 * What is known of a message that cannot be read whole: too long, cut, or no JSON.
 *
 * The scanner of views reads its beginning up to where it ends, so members may come in any
 * order. The last brace of a line closes the message: a member `id` directly before it, as
 * the official SDK 1.x writes it, is one of the message.
 */

import { type Id, idOf } from './json-rpc.ts';
import { JsonScanner, type ScannedMember } from './json-scanner.ts';
import { LONG_MESSAGE_CHARACTERS, OVERSIZE_HEAD_BYTES, OVERSIZE_TAIL_BYTES } from './wire-limits.ts';

export interface MessageOutline {
	/** Undefined when neither its beginning nor its end has an id. */
	readonly id: Id | undefined;
	/** Undefined when its beginning does not say. */
	readonly kind: 'request' | 'result' | 'error' | undefined;
}

const names = ['id', 'method', 'params', 'result', 'error'] as const;
const members: readonly ScannedMember[] = names.map((name, slot) => ({ name, slot }));
/** What may be before the name `id` in the last object: another member, or nothing. */
const BEFORE_NAME = /[,{]\s*$/;
const AFTER_VALUE = /[\s,}]/;
const scanner = new JsonScanner();

/** @param head the first characters of a message @param tail the last ones; empty when they are unknown */
export function messageOutline(head: string, tail = ''): MessageOutline {
	const { spans } = scanned(head);
	const has = (name: (typeof names)[number]): boolean => spans[2 * names.indexOf(name)] !== -1;
	const isCall = has('method') || has('params');
	const outcome = (['error', 'result'] as const).find(has);
	const kind = isCall ? 'request' : outcome;
	return { kind, id: idIn(head, spans) ?? (kind && idAtEnd(tail)) };
}

/** A long response whose id is at its beginning or its end; undefined for all else. */
export function longResponse(text: string): { id: Id; kind: 'result' | 'error' } | undefined {
	if (text.length <= LONG_MESSAGE_CHARACTERS) return undefined;
	const { id, kind } = messageOutline(text.slice(0, OVERSIZE_HEAD_BYTES), text.slice(-OVERSIZE_TAIL_BYTES));
	return id === undefined || kind === undefined || kind === 'request' ? undefined : { id, kind };
}

/** Where the members begin and end, as far as the text goes; -1 for unknown. `end` is -1 unless it is a whole value. */
function scanned(text: string): { readonly spans: readonly number[]; readonly end: number } {
	const spans = names.flatMap(() => [-1, -1]);
	try {
		return { spans, end: scanner.scan(text, 0, members, spans) };
	} catch {
		return { spans, end: -1 }; // it is cut, or no JSON: what was found before that place counts
	}
}

function idIn(text: string, [start = -1, end = -1]: readonly number[]): Id | undefined {
	// A number at the end of the text may be cut.
	if (end === -1 || !AFTER_VALUE.test(text.charAt(end))) return undefined;
	const written = text.slice(start, end);
	return idOf(JSON.parse(written), written) ?? undefined;
}

function idAtEnd(tail: string): Id | undefined {
	const at = tail.lastIndexOf('"id"');
	if (at === -1 || !BEFORE_NAME.test(tail.slice(0, at))) return undefined;
	const last = `{${tail.slice(at)}`;
	const { spans, end } = scanned(last);
	return end === last.length ? idIn(last, spans) : undefined;
}
