/*
 * The calls of this hub to workers.
 *
 * A call is published once, to a queue group. What comes back is matched by the id in
 * the subject, which cannot be guessed; after a worker has accepted a call, only that
 * worker is listened to. A call with a rule about labels is published to one worker that
 * this hub chooses. One timer watches over all calls.
 *
 * A worker goes on with a call when the calling hub is gone. The next process of that hub can take a call that became
 * a task: it listens to the subject of the earlier process, and queries the worker.
 */
import type { Msg } from '@nats-io/transport-node';
import type { FabricRule } from '../../config/configuration.ts';
import { messageOf, OrchestraError } from '../../errors.ts';
import type { FabricFailure } from '../../hub/fabric-overview.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { toRpcError } from '../../rpc/rpc-error.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import type { Advertisements } from '../advertisements/advertisements.ts';
import { NO_RESPONDERS } from '../advertisements/bucket.ts';
import {
	CLIENT_REQUESTS_LIMIT,
	EXPIRY_MS,
	HUB_CALLS_LIMIT,
	QUERY_EVERY_MS,
	REFUSALS_LIMIT,
	REFUSED_MS,
} from '../fabric-limits.ts';
import { type ControlKind, type Envelope, readEnvelope } from '../fabric-message.ts';
import {
	callSubject,
	controlSubject,
	directSubject,
	heartbeatOf,
	NONE,
	noWorkerSubject,
	outFor,
	subjectRoute,
} from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';
import { randomId } from '../link/inbox-prefix.ts';
import { payloadTooLarge } from '../worker/remote-client-requests.ts';
import { CallCounts } from './call-counts.ts';
import { chooseWorker, type WorkerChoice } from './choose-worker.ts';
import { ChunkReceiver } from './chunk-receiver.ts';
import { notRun, RemoteCall, type RemoteCallOptions, unknownOutcome, unusableResult } from './remote-call.ts';
import { callBody, readClientRequests, readResult } from './remote-content.ts';

export interface RemoteCallTableOptions {
	readonly link: FabricLink;
	/** The name of this hub. */
	readonly name: string;
	readonly advertisements: Pick<Advertisements, 'workers' | 'hasWorkers' | 'hasLimits'>;
	readonly log: Log;
}

/** The group and own name of a tool, and the rule about its workers. */
export interface RemoteTool {
	readonly group: string;
	readonly tool: string;
	readonly rule?: FabricRule | undefined;
}

/** Workers that are queried about a call that none of them has accepted, after a reconnect. */
const QUERIED_WORKERS = 64;
const PROCESS_CHARACTERS = 8;

export class RemoteCallTable {
	readonly #options: RemoteCallTableOptions;
	readonly counts: CallCounts = new CallCounts();
	readonly #calls = new Map<string, RemoteCall>();
	/** The id of this process: several may share the name of a hub, and each receives only its own messages. */
	readonly #process = randomId().slice(0, PROCESS_CHARACTERS);
	/** The ids of the heartbeats about its calls, and about those of earlier processes that it goes on with. */
	readonly #heartbeats = new Set<string>();
	/** When a worker last refused a call of a tool. */
	readonly #refusals = new BoundedMap<string, number>(REFUSALS_LIMIT);
	/** When the server last said that a worker was not connected; until its next presence it is not chosen. */
	readonly #absent = new BoundedMap<string, number>(REFUSALS_LIMIT);
	/** Calls whose worker was chosen here. */
	#turn = 0;
	#watching: NodeJS.Timeout | undefined;
	#upSince = 0;
	#whenIdle: (() => void) | undefined;

	constructor(options: RemoteCallTableOptions) {
		this.#options = options;
		const { link } = options;
		this.#listenFor(this.#process);
		link.listen({
			up: () => this.#onUp(),
			denied: (_operation, subject) => this.#onDenied(subject),
		});
	}

	get inFlight(): number {
		return this.#calls.size;
	}

	/** Call a tool of a group. Rejects with `closed` when it did not run, or when its outcome is unknown. */
	call({ group, tool, rule }: RemoteTool, context: CallContext): Promise<JsonText> {
		return new Promise((resolve, reject) => {
			const id = `${this.#process}.${randomId()}`;
			const { link, name } = this.#options;
			const fail = (reason: string): void =>
				reject(this.#failed({ group, tool }, notRun(group, tool, reason)));
			if (!link.isUp) return fail(`the link to the fabric is down: ${link.downReason}`);
			if (link.suspicion !== undefined) return fail(`the link to the fabric is suspect: ${link.suspicion}`);
			if (this.#calls.size >= HUB_CALLS_LIMIT) return fail(`${HUB_CALLS_LIMIT} remote calls are in flight`);
			const chosen = this.#choose(group, tool, rule);
			if (typeof chosen === 'object' && 'reason' in chosen) return fail(chosen.reason);
			const target = chosen === 'any' ? undefined : chosen.worker;
			const traceparent = context.tracer?.sent() ?? context.meta['traceparent'];
			const body = callBody(context, tool, traceparent);
			if (!link.fits(body))
				return fail(
					`its arguments are larger than ${link.payloadLimit} bytes, the max_payload of the NATS server`,
				);
			const subject =
				target === undefined ? callSubject(name, group, tool) : directSubject(name, group, target, tool);
			const about = { id, group, tool, target, subject, context, sentAt: performance.now(), resolve, reject };
			const call = this.#begin(about);
			if (target !== undefined) call.counts = this.counts.begin(target);
			const envelope: Envelope = {
				call: id,
				expires: Date.now() + EXPIRY_MS,
				traceparent: typeof traceparent === 'string' ? traceparent : undefined,
			};
			link.publish(subject, envelope, body, noWorkerSubject(name, id));
		});
	}

	/** Go on with a call that a worker accepted from an earlier process of this hub; `accepted` is what `runsElsewhere` recorded. */
	resume(accepted: string, context: CallContext): Promise<JsonText> {
		return new Promise((resolve, reject) => {
			const { worker, id, ...tool } = acceptedCall(accepted);
			this.#listenFor(id.slice(0, PROCESS_CHARACTERS));
			const about = { id, ...tool, target: worker, context, sentAt: performance.now(), resolve, reject };
			// Nothing is sent to the subject of a call again.
			const call = this.#begin({ ...about, subject: '' });
			this.#accepted(call, worker, undefined);
			if (this.#options.link.isUp) this.#query(call);
		});
	}

	/** Resolves when no call is in flight; each ends by the rules about silence at the latest. */
	idle(): Promise<void> {
		return new Promise((resolve) => {
			this.#whenIdle = resolve;
			if (this.#calls.size === 0) resolve();
		});
	}

	/** Calls that run are given up. */
	close(): void {
		clearInterval(this.#watching);
		for (const call of this.#calls.values()) {
			if (!call.about.context.durable?.isLeft) this.#sendControl(call, 'cancel');
			this.#giveUp(call, 'this hub is stopping');
		}
	}

	/** Take the messages that workers send about the calls of a process of this hub. */
	#listenFor(process: string): void {
		const { link, name } = this.#options;
		if (this.#heartbeats.has(heartbeatOf(process))) return;
		this.#heartbeats.add(heartbeatOf(process));
		link.subscribe(outFor(name, process), (message) => this.#onMessage(message));
	}

	#begin(about: RemoteCallOptions): RemoteCall {
		const call = new RemoteCall(about);
		this.#calls.set(about.id, call);
		this.#watching ??= setInterval(() => this.#watch(), QUERY_EVERY_MS / 2);
		about.context.onCancel((reason) => this.#cancel(call, reason));
		return call;
	}

	#onMessage(message: Msg): void {
		const route = subjectRoute(message.subject);
		if (route === undefined) return;
		const { first: worker, last: id } = route;
		if (this.#heartbeats.has(id)) return this.#onHeartbeat(worker, message);
		const call = this.#calls.get(id);
		if (call === undefined) return;
		if (worker === NONE) {
			if (message.headers?.code === NO_RESPONDERS) this.#notReceived(call);
			return;
		}
		if (!call.mayHearFrom(worker)) return;
		try {
			this.#onEvent(call, worker, message);
		} catch (error) {
			this.#sendControl(call, 'cancel');
			this.#fail(
				call,
				wrongMessage(call, message, `its worker ${worker} sent something wrong: ${messageOf(error)}`),
			);
		}
	}

	#onEvent(call: RemoteCall, worker: string, message: Msg): void {
		const envelope = readEnvelope(message);
		const { kind, reason = 'no reason' } = envelope;
		if (kind === 'refused') {
			this.#refusals.set(refusalKey(worker, call.about.tool), performance.now());
			return this.#notRun(call, `the worker ${worker} refused it: ${reason}`);
		}
		if (kind === 'gone') {
			// Asked by `onUp`, a worker that never had the call says so.
			if (call.worker !== undefined) this.#giveUp(call, reason);
			return;
		}
		if (kind === undefined) return;
		this.#accepted(call, worker, envelope.worker);
		call.heard(performance.now());
		if (call.isCanceled) return this.#endCanceled(call);
		if (kind === 'progress') call.rate.progress(new JsonText(message.string()).exact);
		else if (kind === 'log') call.rate.log(new JsonText(message.string()).exact);
		else if (kind === 'ask') this.#onClientRequest(call, envelope.seq ?? 0, message.string());
		else if (kind === 'withdraw') withdrawClientRequest(call, envelope.seq ?? 0);
		else if (kind === 'chunk') this.#onChunk(call, envelope, message.data);
		else if (kind === 'result') this.#settle(call, message.string(), envelope.reason);
	}

	/** The server reports no subscriber to the subject of the call. */
	#notReceived(call: RemoteCall): void {
		const { target } = call.about;
		if (target === undefined) return this.#notRun(call, 'no worker offers it now');
		this.#absent.set(target, performance.now());
		this.#notRun(call, `the worker ${target} that was chosen for it is gone`);
	}

	#choose(group: string, tool: string, rule: FabricRule | undefined): WorkerChoice {
		const { advertisements } = this.#options;
		if (rule === undefined && !advertisements.hasLimits(group)) return 'any';
		const now = performance.now();
		const candidates = advertisements.workers(group).map((worker) => {
			const { inFlight } = this.counts.of(worker.name);
			const refusedAt = this.#refusals.get(refusalKey(worker.name, tool)) ?? Number.NEGATIVE_INFINITY;
			const isAbsent = worker.heardAt <= (this.#absent.get(worker.name) ?? Number.NEGATIVE_INFINITY);
			return { ...worker, inFlight, isAbsent, hasRefused: now - refusedAt < REFUSED_MS };
		});
		// Equally good workers take turns.
		const first = this.#turn++ % Math.max(1, candidates.length);
		const inTurn = [...candidates.slice(first), ...candidates.slice(0, first)];
		return chooseWorker(inTurn, rule ?? anyWorker, now);
	}

	#accepted(call: RemoteCall, worker: string, instance: string | undefined): void {
		const isFirst = call.worker === undefined;
		call.acceptedBy(worker, instance);
		call.counts ??= this.counts.begin(worker);
		const { id, group, tool, context } = call.about;
		if (isFirst) context.durable?.runsElsewhere(JSON.stringify({ worker, id, offer: group, tool }));
	}

	#onChunk(call: RemoteCall, { seq = 0, chunks = 0, size = 0, reason }: Envelope, data: Uint8Array): void {
		call.chunks ??= new ChunkReceiver(chunks, size);
		const mustAcknowledge = call.chunks.take(seq, data);
		if (mustAcknowledge) this.#sendControl(call, 'ack', { seq: call.chunks.next });
		if (call.chunks.isComplete) this.#settle(call, call.chunks.text(), reason);
	}

	#settle(call: RemoteCall, text: string, reason: string | undefined): void {
		const ending = readResult(text, reason === 'error');
		this.#remove(call);
		if (ending instanceof OrchestraError) call.about.reject(ending);
		else call.about.resolve(ending);
	}

	/** Ask the client once; the answer is repeated when the request is. */
	#onClientRequest(call: RemoteCall, seq: number, text: string): void {
		const { link } = this.#options;
		const answer = (body: string): void => {
			const sent = link.fits(body)
				? body
				: JSON.stringify({ error: toRpcError(payloadTooLarge('answer', link)) });
			call.answers.set(seq, sent);
			this.#sendControl(call, 'answer', { seq }, sent);
		};
		const given = call.answers.get(seq);
		if (typeof given === 'string') return answer(given);
		if (given !== undefined) return;
		if (call.asking >= CLIENT_REQUESTS_LIMIT) {
			const error = new OrchestraError(
				'bad_frame',
				`more than ${CLIENT_REQUESTS_LIMIT} client requests at once`,
			);
			return answer(JSON.stringify({ error: toRpcError(error) }));
		}
		call.asking++;
		const withdrawn = new AbortController();
		call.answers.set(seq, withdrawn);
		call.about.context
			.askAll(readClientRequests(text), withdrawn.signal)
			.then(
				(answers) => answer(encodeJson({ answers })),
				(error: unknown) => answer(JSON.stringify({ error: toRpcError(error) })),
			)
			.finally(() => call.asking--);
	}

	#onHeartbeat(worker: string, message: Msg): void {
		const { kind, worker: instance } = readEnvelope(message);
		if (kind !== 'beat') return;
		const ids: unknown = JSON.parse(message.string());
		const now = performance.now();
		for (const id of Array.isArray(ids) ? ids : []) {
			const call = this.#calls.get(String(id));
			if (call === undefined || !call.mayHearFrom(worker)) continue;
			this.#accepted(call, worker, instance);
			call.heard(now);
			if (call.isCanceled) this.#endCanceled(call);
		}
	}

	/** What was sent while the link was down is lost, so ask. */
	#onUp(): void {
		const now = performance.now();
		this.#upSince = now;
		for (const call of this.#calls.values()) {
			call.reconnected(now);
			if (call.worker) this.#query(call);
			else
				for (const worker of this.#workersFor(call).slice(0, QUERIED_WORKERS))
					this.#send(call, worker, { kind: 'query', seq: 0 });
		}
	}

	/** Those that may have it. */
	#workersFor({ about: { group, target } }: RemoteCall): readonly string[] {
		return target === undefined
			? this.#options.advertisements.workers(group).map(({ name }) => name)
			: [target];
	}

	/** The server does not say which message it refused, so all calls on this subject that no worker has accepted. */
	#onDenied(subject: string): void {
		for (const call of this.#calls.values()) {
			if (call.about.subject === subject && call.worker === undefined)
				this.#notRun(call, 'the NATS server does not permit this hub to call it');
		}
	}

	#watch(): void {
		const now = performance.now();
		const { link } = this.#options;
		const isUp = link.isUp && link.suspicion === undefined;
		// Not with the last call: a timer per call would cost more than it saves.
		if (this.#calls.size === 0) {
			clearInterval(this.#watching);
			this.#watching = undefined;
		}
		for (const call of this.#calls.values()) {
			const hasWorker = this.#options.advertisements.hasWorkers(call.about.group);
			const next = call.check(now, { isUp, upSince: this.#upSince, hasWorker });
			if (next === 'query') this.#query(call);
			else if (next !== 'wait') this.#giveUp(call, next.unknown);
		}
	}

	#cancel(call: RemoteCall, reason: OrchestraError): void {
		if (!this.#calls.has(call.about.id)) return;
		call.isCanceled = true;
		call.about.reject(OrchestraError.from(reason, 'canceled'));
		// A call without a known worker is canceled when one accepts it; without a link, when its worker is heard again.
		if (call.holder !== undefined && this.#options.link.isUp) this.#endCanceled(call);
	}

	#endCanceled(call: RemoteCall): void {
		this.#sendControl(call, 'cancel');
		this.#remove(call);
	}

	#query(call: RemoteCall): void {
		this.#sendControl(call, 'query', { seq: call.chunks?.next ?? 0 });
	}

	#sendControl(call: RemoteCall, kind: ControlKind, more: Envelope = {}, body?: string): void {
		const worker = call.holder;
		if (worker) this.#send(call, worker.name, { ...more, kind, worker: worker.instance }, body);
	}

	#send(call: RemoteCall, worker: string, envelope: Envelope, body?: string): void {
		const { link, name } = this.#options;
		link.publish(controlSubject(worker, name, call.about.id), envelope, body);
	}

	#notRun(call: RemoteCall, reason: string): void {
		const { group, tool } = call.about;
		this.#fail(call, notRun(group, tool, reason));
	}

	#giveUp(call: RemoteCall, reason: string): void {
		this.#fail(call, unknownOutcome(call.about, reason));
	}

	#fail(call: RemoteCall, error: OrchestraError): void {
		this.#remove(call);
		const { group, tool, reject } = call.about;
		if (!call.isCanceled) reject(this.#failed({ group, tool, worker: call.worker?.name }, error));
		if (call.counts && error.data['outcome'] === 'unknown') call.counts.unknown++;
	}

	#failed(
		{ group, tool, worker = null }: RemoteTool & { worker?: string | null | undefined },
		error: OrchestraError,
	): OrchestraError {
		this.#options.log.warn(error.message);
		// All errors of `remote-call.ts` have it.
		const outcome = error.data['outcome'] as FabricFailure['outcome'];
		this.counts.fail({ at: Date.now(), group, tool, worker, outcome, message: error.message });
		return error;
	}

	#remove(call: RemoteCall): void {
		if (!call.isCanceled) call.rate.flush();
		if (this.#calls.delete(call.about.id) && call.counts) call.counts.inFlight--;
		if (this.#calls.size === 0) this.#whenIdle?.();
	}
}

const anyWorker: Pick<FabricRule, 'require' | 'prefer'> = { require: [], prefer: [] };

function refusalKey(worker: string, tool: string): string {
	return `${worker}\0${tool}`;
}

/** A call as the record of its task has it. */
function acceptedCall(recorded: string): { worker: string; id: string; group: string; tool: string } {
	const { worker, id, offer: group, tool } = JSON.parse(recorded) as Record<string, unknown>;
	return { worker: String(worker), id: String(id), group: String(group), tool: String(tool) };
}

/** The tool wants no answer any more, so the request to the client is withdrawn. */
function withdrawClientRequest({ answers }: RemoteCall, seq: number): void {
	const requested = answers.get(seq);
	if (requested instanceof AbortController)
		requested.abort(new OrchestraError('canceled', 'the tool withdrew its request'));
}

/** A result, whole or in chunks, is sent after the run. */
function wrongMessage({ about }: RemoteCall, message: Msg, reason: string): OrchestraError {
	const { kind } = readEnvelope(message);
	return kind === 'result' || kind === 'chunk'
		? unusableResult(about, reason)
		: unknownOutcome(about, reason);
}
