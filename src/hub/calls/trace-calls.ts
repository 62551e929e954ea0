/*
 * The spans of the calls of a hub.
 *
 * A call has one span from its receipt to its answer, below the span of its client. Below
 * that are the phases before the run (approval, queue, start) and one span for each
 * request to the source, whose `traceparent` the source gets. A call whose client does
 * not record its trace has no span.
 */
import type { CallPhase, CallTracer } from '../../mcp/server/call-observers.ts';
import { whenEnded } from '../../mcp/server/methods.ts';
import { type OpenSpan, type SpanAttributes, spanKinds, type Tracer } from '../../telemetry/tracer.ts';
import { type CallEnd, errorTypeOf } from '../call-feed.ts';
import type { HubCall } from './hub-call.ts';
import { aroundCalls, type Middleware } from './middleware.ts';

/** Record the spans of each call. */
export function traceCalls(tracer: Tracer): Middleware {
	return aroundCalls((call, inner) => {
		if (!call.isReported) return inner.request(call);
		const { method, name, context } = call;
		const target = method === 'tools/call' || method === 'prompts/get' ? ` ${name}` : '';
		const about = { name: `${method}${target}`, attributes: attributesOf(call) };
		const received = tracer.receive(context.meta['traceparent'], { ...about, kind: spanKinds.server });
		if (received === undefined) return inner.request(call);
		const spans = new CallSpans(tracer, received, about);
		context.tracer = spans;
		return whenEnded(
			() => inner.request(call),
			() => call.end && spans.end(call.end, context.worker),
		);
	});
}

interface AboutCall {
	readonly name: string;
	readonly attributes: SpanAttributes;
}

class CallSpans implements CallTracer {
	readonly #tracer: Tracer;
	readonly #received: OpenSpan;
	readonly #about: AboutCall;
	/** The request to the source that has no answer yet. */
	#sent: OpenSpan | undefined;

	constructor(tracer: Tracer, received: OpenSpan, about: AboutCall) {
		this.#tracer = tracer;
		this.#received = received;
		this.#about = about;
	}

	get traceId(): string {
		return this.#received.traceId;
	}

	spent(phase: CallPhase, ms: number): void {
		const startMs = this.#tracer.now() - ms;
		this.#received.child({ name: phase, kind: spanKinds.internal, startMs }).end();
	}

	/** A second request means that the source ended during the first. */
	sent(): string {
		this.#sent?.end({ error: 'the backend ended during the request' });
		this.#sent = this.#received.child({ ...this.#about, kind: spanKinds.client });
		return this.#sent.traceparent;
	}

	end(end: CallEnd, worker: string | undefined): void {
		const type = errorTypeOf(end);
		const error = end.thrown instanceof Error ? end.thrown.message : type;
		const attributes = { 'error.type': type, 'orchestra.worker': worker };
		const ending = type === undefined ? { attributes } : { error, attributes };
		this.#sent?.end(ending);
		this.#received.end(ending);
	}
}

/** The attributes follow the OpenTelemetry conventions for MCP. Arguments and results are never recorded. */
function attributesOf({ method, name, backend, client, context }: HubCall): SpanAttributes {
	const isTool = method === 'tools/call';
	return {
		'mcp.method.name': method,
		'gen_ai.operation.name': isTool ? 'execute_tool' : undefined,
		'gen_ai.tool.name': isTool ? name : undefined,
		'gen_ai.prompt.name': method === 'prompts/get' ? name : undefined,
		'mcp.resource.uri': method === 'resources/read' ? withoutQuery(name) : undefined,
		'mcp.protocol.version': context.revision.version,
		'mcp.session.id': context.sessionId || undefined,
		'jsonrpc.request.id': context.id.replaceAll('"', ''),
		'orchestra.backend': backend,
		'orchestra.client': client,
	};
}

/** The query of a URI holds the arguments of a resource. */
function withoutQuery(uri: string): string {
	return uri.replace(/[?#].*$/s, '').replace(/^([^:]*:\/\/)[^/]*@/, '$1');
}
