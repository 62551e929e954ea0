/*
 * The HTTP+SSE transport of 2024-11-05: one stream from GET carries everything from the
 * server; its first event names the URL for our POSTs. The end of the stream is the end of
 * the session.
 */
import type { IncomingMessage } from 'node:http';
import { OrchestraError } from '../../../errors.ts';
import { within } from '../../../rpc/clock.ts';
import { deferred } from '../../../rpc/deferred.ts';
import { ENDPOINT_MS, ERROR_BODY_BYTES, REPLY_MS, STREAM_SILENCE } from '../http-client-limits.ts';
import { interrupted, notMcp, publicUrl, refused } from '../http-errors.ts';
import type { HttpWire, WireExchange } from '../http-wire.ts';
import { isEventStream, newPosition, readEvents, readText } from '../response-body.ts';
import type { EventStreamDeps } from './event-source.ts';

export interface EventLinkDeps extends EventStreamDeps {
	/** Called once when the stream ends, unless `close` was called. */
	readonly onEnd: (reason: OrchestraError) => void;
}

export class EventLink {
	/** Where messages are posted. */
	readonly endpoint: URL;
	readonly #exchange: WireExchange;

	/** Open the stream and read its first event. Rejects when the server has no such transport. */
	static async open(deps: EventLinkDeps): Promise<EventLink> {
		const { wire } = deps;
		const exchange = wire.exchange({
			method: 'GET',
			headers: { accept: 'text/event-stream' },
			replyMs: REPLY_MS,
		});
		const response = await exchange.reply();
		try {
			await assertEventStream(wire, response);
		} catch (error) {
			exchange.abort();
			throw error;
		}
		deps.flow.add(response);
		const first = deferred<string | undefined>();
		void readLink(deps, response, first.resolve);
		const named = await within(first.promise, ENDPOINT_MS);
		const endpoint = endpointUrl(wire, named);
		if (endpoint instanceof URL) return new EventLink(endpoint, exchange);
		exchange.abort();
		throw endpoint;
	}

	private constructor(endpoint: URL, exchange: WireExchange) {
		this.endpoint = endpoint;
		this.#exchange = exchange;
	}

	close(): void {
		this.#exchange.abort();
	}
}

/** Read until the end; `onFirst` receives the data of the event `endpoint`, or undefined when another event came first. */
async function readLink(
	{ wire, limitBytes, isBusy, onMessage, onEnd }: EventLinkDeps,
	response: IncomingMessage,
	onFirst: (data: string | undefined) => void,
): Promise<void> {
	const position = newPosition();
	const onEvent = ({ event, data }: { event?: string | undefined; data: string }): void => {
		if (event === 'endpoint') onFirst(data);
		else if (event === undefined || event === 'message') onMessage(data);
	};
	const silence = { ...STREAM_SILENCE, isBusy };
	const end = await readEvents(response, { limitBytes, position, silence, onEvent });
	onFirst(undefined);
	const how = end === 'ended' ? 'ended its stream' : `sent a message over ${limitBytes} bytes`;
	onEnd(interrupted(wire.label, how));
}

async function assertEventStream({ label }: HttpWire, response: IncomingMessage): Promise<void> {
	if (response.statusCode === 200 && isEventStream(response)) return;
	const { statusCode: status = 0, headers } = response;
	const body = (await within(readText(response, ERROR_BODY_BYTES), ENDPOINT_MS)) ?? '';
	throw status === 200 ? notMcp(label, { status, headers, body }) : refused(label, { status, headers, body });
}

function endpointUrl({ url, label }: HttpWire, named: string | undefined): URL | OrchestraError {
	const endpoint = named !== undefined && URL.canParse(named, url.href) ? new URL(named, url) : undefined;
	if (endpoint?.origin === url.origin) return endpoint;
	const what = endpoint ? `names an endpoint of another origin, ${publicUrl(endpoint)}` : 'names no endpoint';
	return new OrchestraError('bad_frame', `the event stream of ${label.url} ${what}`, {
		hint: 'Check the URL. A server of the newer transport needs `"type": "http"`.',
		data: { url: label.url },
	});
}
