/*
 * The bucket of the fabric: who advertises what.
 *
 * It is a JetStream stream in the form of a key-value bucket. We read it with direct
 * gets and follow it by the server's republishing, not with a watch: a watch needs the
 * right to create consumers, which can be misused to read foreign subjects, and it may
 * stay silent after a leader was killed. Writing goes through a plain publish with an
 * acknowledgement, because `kv.put` drops the TTL.
 *
 * The server answers a direct get at any reply subject, so a member can have it send a
 * stored message to the subject of another. Such a message names its stream twice, or,
 * without its headers, has no TTL; neither counts as an entry.
 */
import type { Msg } from '@nats-io/transport-node';
import { OrchestraError } from '../../errors.ts';
import { isObject } from '../../wire/json.ts';
import { BUCKET_BATCH_BYTES, MARKER_TTL_MS, SERVER_REQUEST_MS } from '../fabric-limits.ts';
import { CATALOGUE_SUBJECT, keySubject, STREAM } from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';

/** One entry of the bucket. */
export interface BucketEntry {
	readonly key: string;
	/** Grows with every change of the bucket. */
	readonly revision: number;
	/** Reads the value; undefined when the key was removed. */
	readonly read: (() => string) | undefined;
}

const DIRECT_GET = `$JS.API.DIRECT.GET.${STREAM}`;
const BATCH_MESSAGES = 10_000;
export const NO_RESPONDERS = 503;
const NOT_FOUND = 404;
const END_OF_BATCH = 204;

export interface PutOptions {
	readonly ttlMs: number;
	/** The revision that the key must have; 0 for none. Default: any. */
	readonly expected?: number | undefined;
}

/** Store a value under a key for a time; its revision. Throws `io` when the server did not store it. */
export async function putKey(
	link: FabricLink,
	key: string,
	value: string,
	{ ttlMs, expected }: PutOptions,
): Promise<number> {
	const headers = link.headers();
	headers.set('Nats-TTL', `${Math.round(ttlMs / 1000)}s`);
	if (expected !== undefined) headers.set('Nats-Expected-Last-Subject-Sequence', String(expected));
	return store(link, key, value, headers);
}

/** Remove a key; hubs are notified at once. */
export async function removeKey(link: FabricLink, key: string): Promise<void> {
	const headers = link.headers();
	headers.set('KV-Operation', 'DEL');
	headers.set('Nats-TTL', `${MARKER_TTL_MS / 1000}s`);
	await store(link, key, '', headers);
}

async function store(
	link: FabricLink,
	key: string,
	value: string,
	headers: ReturnType<FabricLink['headers']>,
): Promise<number> {
	const answer: unknown = (await link.request(keySubject(key), value, headers)).json();
	if (isObject(answer) && answer['error'] === undefined) return Number(answer['seq']);
	const reason = isObject(answer) ? JSON.stringify(answer['error']) : 'no answer';
	throw new OrchestraError('io', `the NATS server did not store ${key}: ${reason}`);
}

/** The value of one key; undefined when there is none. */
export async function getKey(link: FabricLink, key: string): Promise<string | undefined> {
	const message = await link.request(DIRECT_GET, JSON.stringify({ last_by_subj: keySubject(key) }));
	return entryOf(message)?.read?.();
}

/** Read the whole bucket, in the order of its changes; the last revision. Each entry is passed on when it arrives. */
export async function readBucket(link: FabricLink, onEntry: (entry: BucketEntry) => void): Promise<number> {
	let last = 0;
	const onMessage = (message: Msg): void => {
		const entry = entryOf(message);
		if (entry === undefined) return;
		last = entry.revision;
		onEntry(entry);
	};
	for (let from: number | undefined = 1; from !== undefined; ) from = await readBatch(link, from, onMessage);
	return last;
}

/** An entry from a message that the server republished. */
export function republishedEntry(message: Msg): BucketEntry | undefined {
	const entry = entryOf(message);
	return entry && message.subject === `${CATALOGUE_SUBJECT}.${entry.key}` ? entry : undefined;
}

const KEY_PREFIX: string = keySubject('');

function entryOf(message: Msg): BucketEntry | undefined {
	let subject = '';
	let revision = 0;
	let isRemoved = false;
	let hasTtl = false;
	// One pass: looking up each header would search all of them again.
	for (const [name, values] of message.headers ?? []) {
		if (ONCE_HEADERS.has(name) && values.length !== 1) return undefined;
		const [value = ''] = values;
		if (name === 'Nats-Subject') subject = value;
		else if (name === 'Nats-Sequence') revision = Number(value);
		else if (name === 'Nats-TTL') hasTtl = true;
		else if (name === 'KV-Operation') isRemoved = true;
	}
	if (!hasTtl || !subject.startsWith(KEY_PREFIX)) return undefined;
	const read = isRemoved ? undefined : (): string => message.string();
	return { key: subject.slice(KEY_PREFIX.length), revision, read };
}

/** Set by the server; more than once, when another client has set them too. */
const ONCE_HEADERS: ReadonlySet<string> = new Set(['Nats-Stream', 'Nats-Subject', 'Nats-Sequence']);

/** One batch of a direct get; the server sends it as many messages and an end. Where the next one starts; undefined when nothing is left. */
function readBatch(
	link: FabricLink,
	from: number,
	onMessage: (message: Msg) => void,
): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const inbox = link.inbox();
		const end = (settle: () => void): void => {
			clearTimeout(timer);
			stopListening();
			void subscription.drain();
			settle();
		};
		const fail = (reason: string, code: UnreadableCode = 'io'): void =>
			end(() => reject(unreadable(reason, code)));
		const subscription = link.subscribe(inbox, (message) => {
			const code = message.headers?.code ?? 0;
			timer.refresh();
			if (code === NO_RESPONDERS) return fail('it does not exist', 'not_found');
			if (code === NOT_FOUND) return end(() => resolve(undefined));
			if (code === END_OF_BATCH) return end(() => resolve(nextBatch(message, from)));
			if (code >= NOT_FOUND) return fail(message.headers?.description ?? String(code));
			onMessage(message);
		});
		const stopListening = link.listen({
			down: () => fail(link.downReason),
			denied: (_operation, subject) => {
				if (subject === DIRECT_GET) fail('the NATS server does not permit this member to read it');
				if (subject === inbox) fail(`the NATS server does not permit its key to use ${inbox}`, 'bad_input');
			},
		});
		const timer = setTimeout(() => fail('no answer in time', 'timeout'), SERVER_REQUEST_MS);
		const body = { seq: from, batch: BATCH_MESSAGES, max_bytes: BUCKET_BATCH_BYTES };
		if (!link.publish(DIRECT_GET, {}, JSON.stringify(body), inbox)) fail(link.downReason);
	});
}

function nextBatch({ headers }: Msg, from: number): number | undefined {
	const last = Number(headers?.get('Nats-Last-Sequence') || 0);
	const isComplete = Number(headers?.get('Nats-Num-Pending') || 0) === 0;
	return isComplete || last < from ? undefined : last + 1;
}

type UnreadableCode = 'io' | 'not_found' | 'timeout' | 'bad_input';

const hints: Readonly<Partial<Record<UnreadableCode, string>>> = {
	not_found: 'Run mctl fabric setup where the key of the administrator is.',
	bad_input: 'fabric.name must be the name that the key was made for.',
};

function unreadable(reason: string, code: UnreadableCode): OrchestraError {
	return new OrchestraError(code, `the bucket of the fabric cannot be read: ${reason}`, {
		hint: hints[code],
	});
}
