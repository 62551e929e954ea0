/*
 * What a message is, told from its first and last characters.
 *
 * The bridge forwards text as it came. All it needs to know is whose answer is
 * outstanding, and the writers of this world put that into two places: our own
 * and most others write `jsonrpc`, `id`, then the rest; the official TypeScript
 * SDK writes `jsonrpc` and `id` last. Whatever looks different is parsed.
 *
 * In valid JSON a tail `,"jsonrpc":"2.0","id":7}` belongs to the outermost object:
 * the last brace closes it, and no string can hold these quotes unescaped.
 */
import { elementsOf, parseJson } from '../wire/json.ts';
import { encodeId, exactly, isId, readMessage } from '../wire/json-rpc.ts';

/** Ids are compared by their JSON text, in the one form that `JSON.stringify` gives. */
export type Head =
	| { kind: 'request'; id: string; method: string }
	| { kind: 'answer'; id: string; isResult: boolean }
	| { kind: 'notice'; method: string }
	| { kind: 'batch'; parts: Head[] }
	| { kind: 'unknown' };

const id = '(0|-?[1-9]\\d{0,14}|"[^"\\\\]{0,200}")';
const idFirst = new RegExp(
	`^\\{"jsonrpc":"2\\.0","id":${id},"(?:method":"([^"\\\\]*)"|(result)":|(error)":)`,
);
const idLast = new RegExp(`,"jsonrpc":"2\\.0","id":${id}\\}$`);
const noticeFirst = /^\{(?:"jsonrpc":"2\.0",)?"method":"(notifications\/[^"\\]*)"/;
const bodyFirst = /^\{"(?:method":"([^"\\]*)"|(result)":|(error)":)/;

/** How much of the end is looked at: the longest id that `idLast` takes, and what stands around it. */
const TAIL_CHARACTERS = 240;

/** Tell what a message is, without parsing it where that is possible. */
export function readHead(text: string): Head {
	if (!text.endsWith('}')) return readWhole(text);
	const first = idFirst.exec(text);
	if (first?.[1] !== undefined) return headOf(first[1], first[2], first[3]);
	const notice = noticeFirst.exec(text);
	if (notice?.[1] !== undefined) return { kind: 'notice', method: notice[1] };
	const body = bodyFirst.exec(text);
	const last = body && idLast.exec(text.slice(-TAIL_CHARACTERS));
	if (body && last?.[1] !== undefined) return headOf(last[1], body[1], body[2]);
	return readWhole(text);
}

/** The id that a `notifications/cancelled` gives up; undefined when it names none. */
export function canceledId(text: string): string | undefined {
	try {
		const requestId = exactly(Object(parseJson(text)).params?.requestId, text, 'params', 'requestId');
		return isId(requestId) ? encodeId(requestId) : undefined;
	} catch {
		return undefined; // no JSON, so nothing is given up
	}
}

/** The same message under another id. `from` is the id as `readHead` told it. */
export function withId(text: string, from: string, to: string): string {
	const start = `{"jsonrpc":"2.0","id":${from},`;
	if (text.startsWith(start)) return `{"jsonrpc":"2.0","id":${to},${text.slice(start.length)}`;
	const end = `,"jsonrpc":"2.0","id":${from}}`;
	if (text.endsWith(end)) return `${text.slice(0, -end.length)},"jsonrpc":"2.0","id":${to}}`;
	return JSON.stringify({ ...Object(parseJson(text)), id: JSON.parse(to) });
}

function headOf(id: string, method: string | undefined, result: string | undefined): Head {
	return method === undefined
		? { kind: 'answer', id, isResult: result !== undefined }
		: { kind: 'request', id, method };
}

function readWhole(text: string): Head {
	let value: unknown;
	try {
		value = parseJson(text);
	} catch {
		return { kind: 'unknown' }; // whoever serves the message says what is wrong with it
	}
	if (!Array.isArray(value)) return headOfValue(value, text);
	const texts = elementsOf(text);
	return { kind: 'batch', parts: value.map((part, at) => headOfValue(part, texts[at] ?? '')) };
}

function headOfValue(value: unknown, text: string): Head {
	const read = readMessage(value, text);
	switch (read.kind) {
		case 'request':
			return { kind: 'request', id: encodeId(read.message.id), method: read.message.method };
		case 'notification':
			return { kind: 'notice', method: read.message.method };
		case 'response':
			if (read.message.id === null) return { kind: 'unknown' };
			return { kind: 'answer', id: encodeId(read.message.id), isResult: read.message.error === undefined };
		case 'invalid':
			return { kind: 'unknown' };
	}
}
