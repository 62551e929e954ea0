/*
 * A span for each call that a bridge forwards, below the span of its client.
 *
 * The hub gets the call with the `traceparent` of this span; the rest of the text stays
 * as the client wrote it. A call whose client does not record its trace is forwarded
 * unchanged. The parts of a batch have no spans.
 */
import { type OpenSpan, spanKinds, type Tracer } from '../telemetry/tracer.ts';
import type { Transport } from '../transport/transport.ts';
import { observed } from '../transport/transport-observer.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { textAt, withMember } from '../wire/json-text.ts';
import { canceledId, type Head, hubHead, readHead } from './message-head.ts';

/** The same methods have spans in the hub. */
const tracedMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export class RequestSpans {
	readonly #tracer: Tracer;
	/** Keyed by the id of the request; as many as there are requests in flight. */
	readonly #open = new Map<string, OpenSpan>();

	constructor(tracer: Tracer) {
		this.#tracer = tracer;
	}

	/** Give each call that is sent on this connection to a hub a span. Before the connection is started. */
	observe(transport: Transport): void {
		observed(transport, {
			sent: (text) => this.#sent(text, readHead(text)),
			received: (text) => {
				const head = hubHead(text);
				if (head.kind === 'response') this.#answered(text, head);
			},
			ended: (reason) => this.#lost(reason.message),
		});
	}

	/** Send what is left, within the bound of the exporter. */
	close(): Promise<void> {
		this.#lost('the bridge is closing');
		return this.#tracer.close();
	}

	/** A message is sent to the hub. Returns its text. */
	#sent(text: string, head: Head): string {
		if (head.kind === 'notification' && head.method === 'notifications/cancelled')
			this.#take(canceledId(text) ?? '')?.end({
				error: 'canceled',
				attributes: { 'error.type': 'canceled' },
			});
		if (head.kind !== 'request' || !tracedMethods.has(head.method)) return text;
		const params = Object(parseJson(text)).params as unknown;
		const { _meta: meta, name } = isObject(params) ? params : {};
		const isTool = head.method === 'tools/call';
		const called = typeof name === 'string' ? name : undefined;
		const span = this.#tracer.receive(isObject(meta) ? meta['traceparent'] : undefined, {
			name: [head.method, called].join(' ').trim(),
			kind: spanKinds.server,
			attributes: {
				'mcp.method.name': head.method,
				'gen_ai.operation.name': isTool ? 'execute_tool' : undefined,
				'gen_ai.tool.name': isTool ? called : undefined,
				'gen_ai.prompt.name': head.method === 'prompts/get' ? called : undefined,
				'jsonrpc.request.id': head.id.replaceAll('"', ''),
				'network.transport': 'pipe',
			},
		});
		if (span === undefined) return text;
		this.#open.set(head.id, span);
		return withMember(text, ['params', '_meta', 'traceparent'], JSON.stringify(span.traceparent));
	}

	/** The hub answered. */
	#answered(text: string, { id, isResult }: Head & { kind: 'response' }): void {
		const span = this.#take(id);
		if (span === undefined) return;
		if (isResult) return span.end();
		const code = textAt(text, 'error', 'code');
		const message = textAt(text, 'error', 'message');
		span.end({ error: message, attributes: { 'error.type': code, 'rpc.response.status_code': code } });
	}

	/** No request in flight gets an answer of the hub any more. */
	#lost(reason: string): void {
		for (const id of [...this.#open.keys()])
			this.#take(id)?.end({ error: reason, attributes: { 'error.type': 'closed' } });
	}

	#take(id: string): OpenSpan | undefined {
		const span = this.#open.get(id);
		this.#open.delete(id);
		return span;
	}
}
