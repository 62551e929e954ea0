/*
 * The calls of other hubs at this worker: accept or refuse, run, answer, and retain the
 * answer for a while.
 *
 * A call is run when its message arrives and never again: a hub does not send a call
 * twice. Identity comes from the subject, so a hub can only cancel, query or answer its
 * own calls.
 */
import type { Msg } from '@nats-io/transport-node';
import { messageOf } from '../../errors.ts';
import type { Hub } from '../../hub/hub.ts';
import type { Log } from '../../log.ts';
import { within } from '../../rpc/clock.ts';
import { deferred } from '../../rpc/deferred.ts';
import { toRpcError } from '../../rpc/rpc-error.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { ADMINISTRATOR } from '../administration/server-config.ts';
import {
	ACCEPT_DELAY_MS,
	CHUNK_BYTES,
	HEARTBEAT_MS,
	RESEND_WINDOW_MS,
	UNSENT_RESULTS_BYTES,
} from '../fabric-limits.ts';
import { type Envelope, readEnvelope } from '../fabric-message.ts';
import { callRoute, heartbeatOf, outSubject, subjectRoute } from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';
import { ChunkSender, HubCredit } from './chunk-sender.ts';
import { RemoteRun, type RemoteRunOptions } from './remote-run.ts';
import { RemoteSessions } from './remote-sessions.ts';
import { ResultRetention, type ShortResult } from './result-retention.ts';
import { type CallRefusal, type LimitedCall, refusalKinds, WorkerLimits } from './worker-limits.ts';

export interface RemoteRunTableOptions {
	readonly link: FabricLink;
	readonly hub: Hub;
	/** The name of this worker. */
	readonly name: string;
	/** The id of this process. */
	readonly instance: string;
	/** Whether a tool is advertised now: a hub may name this worker and any tool. */
	readonly isAdvertised: (tool: string) => boolean;
	/** Carry out an order of the administrator; resolves with a sentence when it is done. */
	readonly onOrder: (order: Order) => Promise<string>;
	/** No more calls fit, or one fits again. */
	readonly onFull: (isFull: boolean) => void;
	readonly log: Log;
}

/** An order of the administrator to a worker. */
export type Order = 'drain' | 'resume';

/** Hubs whose calls are counted. */
const COUNTED_HUBS = 1000;
/** The process of the calling hub, and an id. */
const CALL = /^([\w-]{8})\.[\w-]{16}$/;

export class RemoteRunTable {
	readonly #options: RemoteRunTableOptions;
	readonly #runs = new Map<string, RemoteRun>();
	readonly limits: WorkerLimits;
	/** Calls that were accepted, by the calling hub. */
	readonly accepted: Map<string, number> = new Map();
	/** Calls that were refused, by the kind of the reason; from zero, so that monitoring sees the first one as an increase. */
	readonly refused: Map<string, number> = new Map(refusalKinds.map((kind) => [kind, 0]));
	readonly #retained = new ResultRetention();
	readonly #sessions: RemoteSessions;
	/** Keyed by the calling process; forgotten when nothing is being sent. */
	readonly #credits = new Map<string, HubCredit>();
	readonly #unannounced = new Set<RemoteRun>();
	readonly #heartbeat: NodeJS.Timeout;
	#announcing: NodeJS.Timeout | undefined;
	#isDraining = false;
	#downAt = Number.POSITIVE_INFINITY;
	readonly #whenIdle = new Set<() => void>();

	constructor(options: RemoteRunTableOptions) {
		this.#options = options;
		this.limits = new WorkerLimits(options.onFull);
		this.#sessions = new RemoteSessions(options.hub);
		this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
		this.#heartbeat.unref();
	}

	get running(): number {
		return this.#runs.size;
	}

	/** A call has arrived. */
	onCall(message: Msg): void {
		const route = callRoute(message.subject);
		const envelope = readEnvelope(message);
		const { call } = envelope;
		if (route === undefined || call === undefined || !CALL.test(call)) return;
		const { caller, tool } = route;
		const refusal = this.#refusal(route, envelope);
		if (refusal !== undefined) return this.#refuse(call, caller, refusal);
		try {
			this.#start(call, caller, { tool, text: message.string() });
		} catch (error) {
			this.#refuse(call, caller, { kind: 'invalid', reason: messageOf(error) });
		}
	}

	/** A hub sends something about its call. */
	onControl(message: Msg): void {
		const route = subjectRoute(message.subject);
		const { kind, worker, seq = 0 } = readEnvelope(message);
		if (route === undefined || (worker !== undefined && worker !== this.#options.instance)) return;
		const { second: caller, last: call } = route;
		if (kind === 'drain' || kind === 'resume') return this.#order(kind, caller, call);
		const run = this.#runs.get(call);
		const owner = run?.caller ?? this.#retained.short(call)?.hub ?? this.#retained.large(call)?.hub;
		if (owner !== undefined && owner !== caller) return;
		if (kind === 'cancel') this.#cancel(call, run);
		else if (kind === 'answer') run?.answer(seq, message.string());
		else if (kind === 'ack') this.#acknowledge(call, seq);
		else if (kind === 'query') this.#query(call, caller, seq);
	}

	/** Only the administrator gives orders; the server checks the name in the subject. */
	#order(order: Order, caller: string, call: string): void {
		if (caller !== ADMINISTRATOR) return;
		this.#options.onOrder(order).then(
			(reason) => this.#send(call, caller, { kind: 'result', reason }),
			(error: unknown) => this.#send(call, caller, { kind: 'refused', reason: messageOf(error) }),
		);
		this.#send(call, caller, { kind: 'accepted', reason: `${this.#runs.size}` });
	}

	/** The link is down: what was sent just before may be lost. */
	onDown(): void {
		this.#downAt = Math.min(this.#downAt, performance.now());
	}

	/** The link is up again. */
	onUp(): void {
		const since = this.#downAt - RESEND_WINDOW_MS;
		this.#downAt = Number.POSITIVE_INFINITY;
		if (!Number.isFinite(since)) return;
		for (const result of this.#retained.since(since)) this.#sendShort(result);
		for (const run of this.#runs.values()) run.repeatClientRequests();
		this.#beat();
	}

	/** Accept calls again. */
	resume(): void {
		this.#isDraining = false;
	}

	/** Accept nothing more; resolves when everything that runs has been answered, or after `ms`. */
	async drain(ms: number): Promise<void> {
		this.#isDraining = true;
		const idle = deferred();
		this.#whenIdle.add(idle.resolve);
		this.#checkIdle();
		await within(idle.promise, ms);
		this.#whenIdle.delete(idle.resolve);
	}

	/** End what still runs: its hubs are notified. */
	close(): void {
		clearInterval(this.#heartbeat);
		clearTimeout(this.#announcing);
		for (const run of this.#runs.values()) {
			this.#send(run.id, run.caller, { kind: 'gone', reason: 'the worker was stopped' });
			run.cancel('the worker is stopping');
		}
		this.#runs.clear();
		this.#retained.clear();
		this.#sessions.close();
	}

	#refusal(call: LimitedCall, { expires = 0 }: Envelope): CallRefusal | undefined {
		if (this.#isDraining) return { kind: 'draining', reason: 'the worker is stopping' };
		const { unsentBytes } = this.#retained;
		if (unsentBytes > UNSENT_RESULTS_BYTES)
			return { kind: 'unsent', reason: `the worker still sends ${unsentBytes} bytes of results` };
		const lateMs = Date.now() - expires;
		if (lateMs > 0) return { kind: 'expired', reason: `the call expired ${lateMs} ms ago` };
		if (!this.#options.isAdvertised(call.tool))
			return { kind: 'not_offered', reason: `the worker does not offer ${call.tool}` };
		return this.limits.refusal(call);
	}

	#refuse(call: string, caller: string, { kind, reason }: CallRefusal): void {
		add(this.refused, kind);
		this.#send(call, caller, { kind: 'refused', reason });
	}

	#start(id: string, caller: string, { tool, text }: { tool: string; text: string }): void {
		const send: RemoteRunOptions['send'] = (kind, body, seq) => this.#send(id, caller, { kind, seq }, body);
		const { hub, link } = this.#options;
		const run = new RemoteRun({ id, caller, hub, link, tool, text, send });
		this.#runs.set(id, run);
		this.limits.begin(run);
		add(this.accepted, caller);
		this.#unannounced.add(run);
		this.#announcing ??= setTimeout(() => this.#announce(), ACCEPT_DELAY_MS);
		this.#sessions.begin(run.sessionId);
		run.result().then(
			(result) => this.#finish(run, encodeJson(result)),
			(error: unknown) => this.#finish(run, encodeJson(toRpcError(error)), 'error'),
		);
	}

	/** Most calls have ended before: their result is enough. */
	#announce(): void {
		this.#announcing = undefined;
		for (const { id, caller } of this.#unannounced) this.#send(id, caller, { kind: 'accepted' });
		this.#unannounced.clear();
	}

	#finish(run: RemoteRun, text: string, reason?: string): void {
		const { id: call, caller: hub } = run;
		this.#unannounced.delete(run);
		this.limits.end(run);
		this.#sessions.end(run.sessionId);
		if (this.#runs.delete(call) && !run.isCanceled) this.#deliver(call, hub, { text, reason });
		this.#checkIdle();
	}

	#deliver(call: string, hub: string, { text, reason }: { text: string; reason: string | undefined }): void {
		const now = performance.now();
		// A character has at most three bytes, so most strings need not be encoded to know.
		const bytes = text.length * 3 > CHUNK_BYTES ? Buffer.from(text) : undefined;
		if (bytes === undefined || bytes.length <= CHUNK_BYTES) {
			const result = { call, hub, text, reason, finishedAt: now };
			this.#retained.addShort(result);
			return this.#sendShort(result);
		}
		const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
		const publish = (seq: number, chunk: Uint8Array): void =>
			this.#send(call, hub, { kind: 'chunk', reason, chunks, size: bytes.length, seq }, chunk);
		const sender = new ChunkSender({ bytes, credit: this.#creditOf(`${hub} ${processOf(call)}`), publish });
		this.#retained.addLarge({ call, hub, bytes: bytes.length, sender, heardAt: now });
		sender.send();
	}

	#sendShort({ call, hub, text, reason }: ShortResult): void {
		this.#send(call, hub, { kind: 'result', reason }, text);
	}

	/** The credit of the connection of a process. */
	#creditOf(process: string): HubCredit {
		const credit = this.#credits.get(process) ?? new HubCredit();
		this.#credits.set(process, credit);
		return credit;
	}

	#cancel(call: string, run: RemoteRun | undefined): void {
		this.#retained.drop(call);
		if (run === undefined) return;
		this.#runs.delete(call);
		this.#unannounced.delete(run);
		run.cancel('the calling hub canceled the call');
		this.#checkIdle();
	}

	#acknowledge(call: string, next: number): void {
		const large = this.#retained.large(call);
		if (large === undefined) return;
		large.heardAt = performance.now();
		large.sender.acknowledge(next);
		if (!large.sender.isComplete) return;
		this.#retained.drop(call);
		this.#checkIdle();
	}

	#query(call: string, caller: string, next: number): void {
		const run = this.#runs.get(call);
		const short = this.#retained.short(call);
		const large = this.#retained.large(call);
		if (run) {
			this.#send(call, caller, { kind: 'accepted' });
			run.repeatClientRequests();
		} else if (short) this.#sendShort(short);
		else if (large) {
			large.heardAt = performance.now();
			large.sender.resume(next);
		} else this.#send(call, caller, { kind: 'gone', reason: 'the worker does not know the call' });
	}

	/** List the running calls to their hubs. */
	#beat(): void {
		this.#retained.sweep(performance.now());
		this.#checkIdle();
		if (!this.#retained.hasUnsent) this.#credits.clear();
		// By the subject of the process that made them.
		const calls = new Map<string, string[]>();
		const { link, name, instance } = this.#options;
		const add = (hub: string, call: string): void => {
			const subject = outSubject(name, hub, heartbeatOf(processOf(call)));
			const listed = calls.get(subject);
			if (listed) listed.push(call);
			else calls.set(subject, [call]);
		};
		for (const { id, caller } of this.#runs.values()) add(caller, id);
		for (const { call, hub } of this.#retained.unsent) add(hub, call);
		for (const [subject, ids] of calls)
			link.publish(subject, { kind: 'beat', worker: instance }, JSON.stringify(ids));
	}

	#send(call: string, hub: string, envelope: Envelope, body?: string | Uint8Array): void {
		const { link, name, instance } = this.#options;
		// After a result nothing is sent to this process about the call.
		const sent = envelope.kind === 'result' ? envelope : { ...envelope, worker: instance };
		// A message that is lost with the link is made up for by a query or by `onUp`.
		link.publish(outSubject(name, hub, call), sent, body);
	}

	#checkIdle(): void {
		if (this.#runs.size === 0 && !this.#retained.hasUnsent) for (const end of this.#whenIdle) end();
	}
}

/** Callers come from the subject, which the server checks; without permissions there may be any number. */
function add(counts: Map<string, number>, key: string): void {
	if (counts.size < COUNTED_HUBS || counts.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
}

function processOf(call: string): string {
	return CALL.exec(call)?.[1] ?? '';
}
