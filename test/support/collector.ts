/* A collector: receives spans over OTLP/HTTP as JSON. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { until } from './waiting.ts';

/** A span as it was received, with its attributes as an object. */
export interface ReceivedSpan {
	readonly service: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly kind: number;
	readonly start: bigint;
	readonly end: bigint;
	readonly attributes: Record<string, string>;
	readonly status: { code?: number; message?: string };
}

export interface Collector {
	readonly url: string;
	readonly requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
	readonly spans: ReceivedSpan[];
	/** Wait for a span. */
	span(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
	/** Wait for so many spans. */
	received(count: number): Promise<ReceivedSpan[]>;
}

/** @param status of every answer; 0 never answers */
export async function startCollector(status = 200): Promise<Collector> {
	const requests: Collector['requests'] = [];
	const spans: ReceivedSpan[] = [];
	const server = createServer(async (request, response) => {
		const body = await text(request);
		requests.push({ path: request.url ?? '', headers: request.headers, body });
		spans.push(...spansIn(body));
		if (status === 0) return;
		response.writeHead(status, { 'Content-Type': 'application/json' });
		response.end('{"partialSuccess":{}}');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		spans,
		span: async (fits) => {
			await until('the span is received', () => spans.some(fits));
			const [found, ...others] = spans.filter(fits);
			if (found && others.length === 0) return found;
			throw new Error(`${others.length + 1} spans fit`);
		},
		received: async (count) => {
			await until(`${count} spans are received`, () => spans.length >= count);
			return spans;
		},
	};
}

interface Attribute {
	key: string;
	value: { stringValue?: string; intValue?: string };
}

interface OtlpSpan extends Omit<ReceivedSpan, 'attributes' | 'start' | 'end' | 'service'> {
	attributes: Attribute[];
	startTimeUnixNano: string;
	endTimeUnixNano: string;
}

interface OtlpBody {
	resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

function spansIn(body: string): ReceivedSpan[] {
	const { resourceSpans } = JSON.parse(body) as OtlpBody;
	return resourceSpans.flatMap(({ resource, scopeSpans }) =>
		scopeSpans.flatMap(({ spans }) =>
			spans.map(({ attributes, startTimeUnixNano, endTimeUnixNano, ...span }) => ({
				...span,
				service: objectOf(resource.attributes)['service.name'] ?? '',
				start: BigInt(startTimeUnixNano),
				end: BigInt(endTimeUnixNano),
				attributes: objectOf(attributes),
			})),
		),
	);
}

function objectOf(attributes: Attribute[]): Record<string, string> {
	return Object.fromEntries(
		attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
	);
}
