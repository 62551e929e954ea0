/* The legacy era at one path: finds or opens the session of each request. */
import { negotiate, supportedVersions } from '../../protocol/revisions.ts';
import { isObject } from '../../wire/json.ts';
import { type Id, readMessage } from '../../wire/json-rpc.ts';
import { elementsOf } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import type { MessageView } from '../../wire/message-view.ts';
import {
	type HttpExchange,
	headerOf,
	invalidMessage,
	type McpEndpointDeps,
	type ReceivedMessage,
	SESSION_HEADER,
	tooManyStreams,
	VERSION_HEADER,
} from '../http-exchange.ts';
import { type HttpRefusal, httpCodes, invalidRequest, refuse, replyEmpty } from '../http-reply.ts';
import type { LegacyHttpSession, ReceivedRequest } from './legacy-http-session.ts';

export class LegacyEndpoint {
	readonly #deps: McpEndpointDeps;

	constructor(deps: McpEndpointDeps) {
		this.#deps = deps;
	}

	post(exchange: HttpExchange, { read, value, text }: ReceivedMessage): void {
		const { response } = exchange;
		const request = read.kind === 'request' ? read.message : undefined;
		if (request?.method === 'initialize')
			return this.#initialize(exchange, { value, text, id: request.id }, request.params);
		if (request) return this.#request(exchange, { value, text, id: request.id });
		const session = this.#find(exchange);
		if (session === undefined) return;
		session.receive(value, text);
		replyEmpty(response, 202);
	}

	/** A call that may pass as text. */
	forward(exchange: HttpExchange, view: MessageView): void {
		const id = view.source(member.id) ?? ''; // `isPlainToolCall` has checked it
		this.#request(exchange, { view, text: view.text, id });
	}

	/** Batches exist in one legacy revision only. */
	batch(exchange: HttpExchange, values: readonly unknown[], text: string): void {
		const { request, response } = exchange;
		if (headerOf(request, SESSION_HEADER) === undefined) return refuse(response, noBatch);
		const session = this.#find(exchange);
		if (session === undefined) return;
		if (!session.acceptsBatch || values.length === 0) return refuse(response, noBatch);
		const { batchMessages } = this.#deps.limits;
		if (values.length > batchMessages) {
			const message = `a batch may have ${batchMessages} messages; this one has ${values.length}`;
			return refuse(response, invalidRequest(message));
		}
		const { requests, others, problem } = sorted(session, values, text);
		if (problem) return refuse(response, problem);
		for (const other of others) session.receive(other.value, other.text);
		if (requests.length === 0) return replyEmpty(response, 202);
		session.request(requests, response, true);
	}

	/** GET: open a stream for push, or resume one. */
	listen(exchange: HttpExchange): void {
		const { request, response, streams } = exchange;
		const session = this.#find(exchange);
		if (session === undefined) return;
		const isFull = streams.isFull || session.pushCount >= this.#deps.limits.sessionStreams;
		if (isFull) return refuse(response, tooManyStreams);
		if (session.listen(response, headerOf(request, 'last-event-id'))) return streams.add(response);
		refuse(response, { status: 400, message: 'the messages after Last-Event-ID are no longer buffered' });
	}

	/** DELETE: end the session. */
	end(exchange: HttpExchange): void {
		const session = this.#find(exchange);
		if (session === undefined) return;
		this.#deps.sessions.end(session);
		replyEmpty(exchange.response, 200);
	}

	#request(exchange: HttpExchange, request: ReceivedRequest): void {
		const { id } = request;
		const session = this.#find(exchange, id);
		if (session === undefined) return;
		if (session.isInFlight(id)) return refuse(exchange.response, inFlight(id));
		session.request([request], exchange.response, false);
	}

	#initialize(exchange: HttpExchange, request: ReceivedRequest, params: unknown): void {
		const { response, principal } = exchange;
		const { id } = request;
		if (headerOf(exchange.request, SESSION_HEADER) !== undefined) {
			if (this.#find(exchange, id)) refuse(response, { ...initialized, id });
			return;
		}
		const version = isObject(params) ? params['protocolVersion'] : undefined;
		const session = this.#deps.sessions.create({ ...this.#deps, principal, version });
		if (session === undefined) return refuse(response, { ...tooManySessions, id });
		response.setHeader('Mcp-Session-Id', session.id);
		session.request([request], response, false);
	}

	/** The session of a request; undefined when the request was refused. */
	#find({ request, response, principal }: HttpExchange, id?: Id): LegacyHttpSession | undefined {
		const { sessions, provider } = this.#deps;
		const given = headerOf(request, SESSION_HEADER);
		const session = given === undefined ? undefined : sessions.find(given, principal, provider);
		const version = headerOf(request, VERSION_HEADER);
		if (given === undefined) refuse(response, { ...noSession, id });
		else if (session === undefined) refuse(response, { ...unknownSession, id });
		else if (version === undefined || negotiate(version).version === version) return session;
		else refuse(response, { ...badVersion, id });
		return undefined;
	}
}

interface SortedBatch {
	readonly requests: ReceivedRequest[];
	/** Notifications and responses. */
	readonly others: { value: unknown; text: string }[];
	readonly problem?: HttpRefusal;
}

/** The messages of a batch; nothing of it is handled when one has a problem. */
function sorted(session: LegacyHttpSession, values: readonly unknown[], text: string): SortedBatch {
	const strings = elementsOf(text);
	const batch: SortedBatch = { requests: [], others: [] };
	const keys = new Set<Id>();
	for (const [at, value] of values.entries()) {
		const element = strings[at] ?? '';
		const read = readMessage(value, element);
		if (read.kind === 'invalid') return { ...batch, problem: invalidMessage(read) };
		if (read.kind !== 'request') {
			batch.others.push({ value, text: element });
			continue;
		}
		const { id, method } = read.message;
		if (method === 'initialize') return { ...batch, problem: { ...noBatch, id } };
		if (session.isInFlight(id) || keys.has(id)) return { ...batch, problem: inFlight(id) };
		keys.add(id);
		batch.requests.push({ value, text: element, id });
	}
	return batch;
}

function inFlight(id: Id): HttpRefusal {
	return invalidRequest(`id ${id} is already in flight`, id);
}

const noBatch = invalidRequest('this protocol version has no batches');

const initialized = invalidRequest('this session is already initialized');

const noSession: HttpRefusal = { status: 400, message: 'the header Mcp-Session-Id is missing' };
const unknownSession: HttpRefusal = {
	status: 404,
	code: httpCodes.sessionNotFound,
	message: 'there is no session with this id; send initialize without an id',
};
const badVersion: HttpRefusal = {
	status: 400,
	message: `the header MCP-Protocol-Version is not one of ${supportedVersions.join(', ')}`,
};
const tooManySessions: HttpRefusal = {
	status: 503,
	message: 'too many sessions are in use',
	headers: { 'Retry-After': '5' },
};
