/*
 * The bucket of the fabric: who offers what.
 *
 * It is a JetStream stream in the form of a key-value bucket. We read it with direct
 * gets and follow it by the server's republishing, not with a watch: a watch needs the
 * right to create consumers, which can be misused to read foreign subjects, and it may
 * stay silent after a leader was killed. Writing goes through a plain publish with an
 * acknowledgement, because `kv.put` drops the TTL.
 */
import type { Msg } from '@nats-io/transport-node';
import { OrchestraError } from '../errors.ts';
import { isObject } from '../wire/json.ts';
import type { FabricLink } from './fabric-link.ts';
import { CATALOGUE_SUBJECT, keySubject, STREAM } from './fabric-names.ts';
import { MARKER_TTL_MS, SERVER_REQUEST_MS } from './fabric-timers.ts';

/** One entry of the bucket. */
export interface BucketEntry {
	readonly key: string;
	/** Grows with every change of the bucket. */
	readonly revision: number;
	/** Undefined when the key was removed or has expired. */
	readonly value: string | undefined;
}

const DIRECT_GET = `$JS.API.DIRECT.GET.${STREAM}`;
const NANOSECONDS = 1e6;
const BATCH_MESSAGES = 10_000;
const BATCH_BYTES: number = 32 * 1024 * 1024;
const NO_RESPONDERS = 503;
const NOT_FOUND = 404;
const END_OF_BATCH = 204;
const CLUSTER_REPLICAS = 3;

/** Do something with the bucket; when there is none yet, make it first. Throws `bad_input` when we may not make it. */
export async function withBucket<T>(link: FabricLink, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!isNoResponders(error) && !OrchestraError.is(error, 'not_found')) throw error;
	}
	await createBucket(link);
	return work();
}

/** Make the bucket; nothing changes when it exists. Throws `bad_input` when we may not. */
export async function createBucket(link: FabricLink): Promise<void> {
	const isCluster = link.info?.cluster !== undefined;
	const created = (await create(link, isCluster ? CLUSTER_REPLICAS : 1)) ?? (await create(link, 1));
	if (created === true) return;
	throw new OrchestraError('bad_input', 'the NATS servers have no bucket for the fabric yet', {
		hint: 'Run mctl fabric setup where the key of the administrator is.',
	});
}

/** True when it exists now; undefined when this number of replicas is not possible. */
async function create(link: FabricLink, replicas: number): Promise<boolean | undefined> {
	const wanted = {
		name: STREAM,
		subjects: [keySubject('>')],
		storage: 'file',
		retention: 'limits',
		discard: 'new',
		max_msgs_per_subject: 1,
		num_replicas: replicas,
		allow_direct: true,
		allow_rollup_hdrs: true,
		deny_delete: true,
		allow_msg_ttl: true,
		subject_delete_marker_ttl: MARKER_TTL_MS * NANOSECONDS,
		republish: { src: keySubject('>'), dest: `${CATALOGUE_SUBJECT}.>` },
	};
	try {
		const answer: unknown = (
			await link.request(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(wanted))
		).json();
		return isObject(answer) && answer['error'] === undefined ? true : undefined;
	} catch {
		return undefined; // not permitted: the caller says what to do
	}
}

/** Store a value under a key for a time; its revision. Throws `io` when the server did not store it. */
export async function putKey(link: FabricLink, key: string, value: string, ttlMs: number): Promise<number> {
	const headers = link.headers();
	headers.set('Nats-TTL', `${Math.round(ttlMs / 1000)}s`);
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
	if (message.headers?.code === NOT_FOUND) return undefined;
	return isRemoval(message) ? undefined : message.string();
}

/** Read the whole bucket, in the order of its changes. */
export async function readBucket(link: FabricLink): Promise<BucketEntry[]> {
	const entries: BucketEntry[] = [];
	for (let from = 1; ; ) {
		const before = from;
		// Each message is read when it arrives: thousands that wait would be moved by the garbage collector.
		const isComplete = await readBatch(link, from, (message) => {
			const entry = entryOf(message);
			if (entry === undefined) return;
			entries.push(entry);
			from = Math.max(from, entry.revision + 1);
		});
		if (isComplete || from === before) return entries;
	}
}

/** An entry from a message that the server republished. */
export function republishedEntry(message: Msg): BucketEntry | undefined {
	return entryOf(message);
}

const KEY_PREFIX: string = keySubject('');

function entryOf(message: Msg): BucketEntry | undefined {
	let subject = '';
	let revision = 0;
	let isRemoved = false;
	// One pass: looking up each header would search all of them again.
	for (const [name, [value = '']] of message.headers ?? []) {
		if (name === 'Nats-Subject') subject = value;
		else if (name === 'Nats-Sequence') revision = Number(value);
		else if (REMOVAL_HEADERS.has(name)) isRemoved = true;
	}
	if (!subject.startsWith(KEY_PREFIX)) return undefined;
	return { key: subject.slice(KEY_PREFIX.length), revision, value: isRemoved ? undefined : message.string() };
}

/** Of a deletion, and of the marker of the server for an expired key. */
const REMOVAL_HEADERS: ReadonlySet<string> = new Set(['KV-Operation', 'Nats-Marker-Reason']);

function isRemoval({ headers }: Msg): boolean {
	return headers !== undefined && [...REMOVAL_HEADERS].some((name) => headers.has(name));
}

/** One batch of a direct get; the server sends it as many messages and an end. True when nothing is left. */
function readBatch(link: FabricLink, from: number, onMessage: (message: Msg) => void): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const inbox = link.inbox();
		const end = (settle: () => void): void => {
			clearTimeout(timer);
			void subscription.drain();
			settle();
		};
		const fail = (reason: string, code: 'io' | 'not_found' = 'io'): void =>
			end(() => reject(unreadable(reason, code)));
		const subscription = link.subscribe(inbox, (message) => {
			const code = message.headers?.code ?? 0;
			timer.refresh();
			if (code === NO_RESPONDERS) return fail('it does not exist', 'not_found');
			if (code === NOT_FOUND) return end(() => resolve(true));
			if (code === END_OF_BATCH) {
				const isComplete = Number(message.headers?.get('Nats-Num-Pending') || 0) === 0;
				return end(() => resolve(isComplete));
			}
			if (code >= NOT_FOUND) return fail(message.headers?.description ?? String(code));
			onMessage(message);
		});
		const timer = setTimeout(() => fail('no answer in time'), SERVER_REQUEST_MS);
		const body = { seq: from, next_by_subj: keySubject('>'), batch: BATCH_MESSAGES, max_bytes: BATCH_BYTES };
		if (!link.publish(DIRECT_GET, {}, JSON.stringify(body), inbox)) fail(link.downReason);
	});
}

function unreadable(reason: string, code: 'io' | 'not_found'): OrchestraError {
	return new OrchestraError(code, `the bucket of the fabric cannot be read: ${reason}`, {
		hint: code === 'not_found' ? 'Run mctl fabric setup where the key of the administrator is.' : undefined,
	});
}

/** The error of the client library for a request that nobody serves. */
function isNoResponders(error: unknown): boolean {
	if (!(error instanceof Error) || !('isNoResponders' in error)) return false;
	return typeof error.isNoResponders === 'function' && error.isNoResponders() === true;
}
