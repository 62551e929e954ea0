/*
 * Names on the wire: subjects and keys of the fabric.
 *
 * The identity of a sender is in the subject, because the server checks permissions by
 * subject. Names are encoded to tokens that NATS accepts, reversibly: letters, digits,
 * `-` and `_` stay as they are, and every other byte of the UTF-8 text becomes `=XX`.
 * The token `_` is reserved.
 */

/** The key-value bucket and the stream behind it. */
export const BUCKET = 'ORC';
export const STREAM = 'KV_ORC';
/** The server republishes every change of the bucket below this subject. */
export const CATALOGUE_SUBJECT = 'orc.cat';
/** The queue group of equal workers. */
export const QUEUE_GROUP = 'w';
/** The token for "no call" and for "the server". */
export const NONE = '_';

const PLAIN = /^[A-Za-z0-9_-]+$/;
const ESCAPED = /=([0-9A-F]{2})/g;

/** A name as one token of a subject. */
export function encodeToken(name: string): string {
	if (PLAIN.test(name) && name !== NONE) return name;
	if (name === '') return '=';
	let token = '';
	for (const byte of Buffer.from(name)) {
		const character = String.fromCharCode(byte);
		const isPlain = byte < 0x80 && PLAIN.test(character) && name !== NONE;
		token += isPlain ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
	}
	return token;
}

/** The name in a token; undefined for a token that `encodeToken` does not make. */
export function decodeToken(token: string): string | undefined {
	if (token === '=') return '';
	if (PLAIN.test(token)) return token === NONE ? undefined : token;
	const binary = token.replace(ESCAPED, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	const name = Buffer.from(binary, 'latin1').toString('utf8');
	return encodeToken(name) === token ? name : undefined;
}

/** `orc.call.<hub>.<group>.<tool>` */
export function callSubject(hub: string, group: string, tool: string): string {
	return `orc.call.${encodeToken(hub)}.${encodeToken(group)}.${encodeToken(tool)}`;
}

/** Calls of any hub for one tool of a group. */
export function callsFor(group: string, tool: string): string {
	return `orc.call.*.${encodeToken(group)}.${encodeToken(tool)}`;
}

/** `orc.to.<hub>.<group>.<worker>.<tool>`: the call is for one worker. */
export function directSubject(hub: string, group: string, worker: string, tool: string): string {
	return `orc.to.${encodeToken(hub)}.${encodeToken(group)}.${encodeToken(worker)}.${encodeToken(tool)}`;
}

/** Calls of any hub for this worker of a group alone. */
export function directFor(group: string, worker: string): string {
	return `orc.to.*.${encodeToken(group)}.${encodeToken(worker)}.*`;
}

/** `orc.out.<worker>.<hub>.<process>.<call>`; a call is `<process>.<id>`. */
export function outSubject(worker: string, hub: string, call: string): string {
	return `orc.out.${encodeToken(worker)}.${encodeToken(hub)}.${call}`;
}

/** The last tokens of heartbeats to one process of a hub. */
export function heartbeatOf(process: string): string {
	return `${process}.${NONE}`;
}

/** Everything that workers send to one process of a hub. */
export function outFor(hub: string, process: string): string {
	return `orc.out.*.${encodeToken(hub)}.${process}.*`;
}

/** The reply subject of a call: the server answers there when no worker has subscribed. */
export function noWorkerSubject(hub: string, call: string): string {
	return `orc.out.${NONE}.${encodeToken(hub)}.${call}`;
}

/** `orc.ctl.<worker>.<hub>.<process>.<call>` */
export function controlSubject(worker: string, hub: string, call: string): string {
	return `orc.ctl.${encodeToken(worker)}.${encodeToken(hub)}.${call}`;
}

/** Everything that hubs send to this worker. */
export function controlFor(worker: string): string {
	return `orc.ctl.${encodeToken(worker)}.*.*.*`;
}

/** The key of the presence of a worker. */
export function presenceKey(group: string, worker: string): string {
	return `w.${encodeToken(group)}.${encodeToken(worker)}`;
}

/** The key of a part of what a worker advertises. */
export function bodyKey(worker: string, hash: string): string {
	return `o.${encodeToken(worker)}.${hash}`;
}

/** The subject that a key of the bucket is stored under. */
export function keySubject(key: string): string {
	return `$KV.${BUCKET}.${key}`;
}

/** Who sent a message, to whom, about which call. */
export interface SubjectRoute {
	/** The name in the third token: the worker, or for a call, also to one worker, the hub. */
	readonly first: string;
	/** The name in the fourth token: the hub, or for a call the group. */
	readonly second: string;
	/** The tokens after them as they are: the call, or for a call the tool. */
	readonly last: string;
}

/** The parts of a subject; undefined when it is not one of ours. */
export function subjectRoute(subject: string): SubjectRoute | undefined {
	const [root, kind, first = '', second = '', ...more] = subject.split('.');
	if (root !== 'orc' || more.length !== (kind === 'call' ? 1 : 2)) return undefined;
	const last = more.join('.');
	const firstName = first === NONE ? NONE : decodeToken(first);
	const secondName = decodeToken(second);
	if (firstName === undefined || secondName === undefined) return undefined;
	return { first: firstName, second: secondName, last };
}

/** The hub and the tool of a call, from its subject; undefined when it is not one of ours. */
export function callRoute(subject: string): { readonly caller: string; readonly tool: string } | undefined {
	const route = subjectRoute(subject);
	const tool = route && decodeToken(route.last.slice(route.last.lastIndexOf('.') + 1));
	return route === undefined || tool === undefined ? undefined : { caller: route.first, tool };
}

/** A key of the bucket, read. */
export type CatalogueKey =
	| { readonly kind: 'presence'; readonly group: string; readonly worker: string }
	| { readonly kind: 'body'; readonly worker: string; readonly hash: string };

/** Read a key; undefined when it is not one of ours. */
export function parseKey(key: string): CatalogueKey | undefined {
	const [kind, first = '', second = '', ...more] = key.split('.');
	const name = decodeToken(first);
	if (name === undefined || second === '' || more.length > 0) return undefined;
	if (kind === 'o') return { kind: 'body', worker: name, hash: second };
	const worker = decodeToken(second);
	return kind === 'w' && worker !== undefined ? { kind: 'presence', group: name, worker } : undefined;
}
