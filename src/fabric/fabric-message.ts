/*
 * The messages between hubs and workers: kinds and headers.
 *
 * The body of a call is the params of MCP; the body of a result is an MCP result, or a
 * JSON-RPC error when the header `Orc-Reason` is `error`.
 */
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { MESSAGE_HEADER_CHARACTERS } from './fabric-limits.ts';

/** The messages from a worker to a hub. */
export const workerKinds = [
	'accepted',
	'refused',
	'progress',
	'log',
	'ask',
	'withdraw',
	'chunk',
	'result',
	'gone',
	'beat',
] as const;
export type WorkerKind = (typeof workerKinds)[number];

/** The messages from a hub to a worker; the last two from the administrator. */
export const controlKinds = ['cancel', 'ack', 'query', 'answer', 'drain', 'resume'] as const;
export type ControlKind = (typeof controlKinds)[number];

/** The headers, without their prefix. Absent ones are undefined. */
export interface Envelope {
	readonly kind?: WorkerKind | ControlKind | undefined;
	/** The id of a call. */
	readonly call?: string | undefined;
	/** When a call expires, in milliseconds since 1970. */
	readonly expires?: number | undefined;
	/** The process of the worker: a name may be used by several, one after the other or at once. */
	readonly worker?: string | undefined;
	readonly reason?: string | undefined;
	/** The number of a chunk or a client request; with `ack` and `query`, the next chunk that is wanted. */
	readonly seq?: number | undefined;
	/** The number of chunks. */
	readonly chunks?: number | undefined;
	/** The size of all chunks together, in bytes. */
	readonly size?: number | undefined;
	readonly traceparent?: string | undefined;
}

const headerNames: Readonly<Record<keyof Envelope, string>> = {
	kind: 'Orc-Kind',
	call: 'Orc-Call',
	expires: 'Orc-Expires',
	worker: 'Orc-Worker',
	reason: 'Orc-Reason',
	seq: 'Orc-Seq',
	chunks: 'Orc-Chunks',
	size: 'Orc-Size',
	traceparent: 'traceparent',
};

/** Add the headers of a message to `headers`, which has none of them. */
export function writeEnvelope(headers: MsgHdrs, envelope: Envelope): MsgHdrs {
	for (const [name, value] of Object.entries(envelope)) {
		if (value === undefined) continue;
		// `Object.entries` widens the keys; there are no others.
		headers.append(headerNames[name as keyof Envelope], headerValue(String(value)));
	}
	return headers;
}

/** One line of printable text. */
function headerValue(text: string): string {
	return text.slice(0, MESSAGE_HEADER_CHARACTERS).replaceAll(/[^\x20-\x7e]+/g, ' ');
}

const fields: ReadonlyMap<string, keyof Envelope> = new Map(
	// `Object.entries` widens the keys; there are no others.
	Object.entries(headerNames).map(([field, name]) => [name, field as keyof Envelope]),
);
const counts: ReadonlySet<keyof Envelope> = new Set(['expires', 'seq', 'chunks', 'size']);
const kinds: ReadonlySet<string> = new Set([...workerKinds, ...controlKinds]);

/**
 * Read the headers of a message. A value that is not what its header must hold is left out. A message that the server
 * read from the bucket has none: a member can have it sent to any subject.
 */
export function readEnvelope({ headers }: Pick<Msg, 'headers'>): Envelope {
	const read: Record<string, unknown> = {};
	// One pass: looking up each header would search all of them again.
	for (const [name, [value = '']] of headers ?? []) {
		if (name.startsWith('Nats-')) return {};
		const field = fields.get(name);
		if (field === undefined || value === '') continue;
		if (counts.has(field)) read[field] = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
		else if (field !== 'kind' || kinds.has(value)) read[field] = value;
	}
	return read;
}
