/* Spans as the body of an OTLP/HTTP request, in JSON. Secrets are replaced. */
import { redact } from '../redact.ts';
import { ATTRIBUTE_CHARACTERS } from './telemetry-limits.ts';
import type { Span, SpanAttributes } from './tracer.ts';

const STATUS_ERROR = 2;

interface AttributeValue {
	key: string;
	value: { stringValue: string } | { intValue: string } | { doubleValue: number };
}

/** @param resource attributes of the process, `service.name` among them @param version of this program */
export function otlpBody(spans: readonly Span[], resource: SpanAttributes, version: string): string {
	const scope = { name: 'orchestra', version };
	return JSON.stringify({
		resourceSpans: [
			{
				resource: { attributes: attributesOf(resource) },
				scopeSpans: [{ scope, spans: spans.map(spanOf) }],
			},
		],
	});
}

function spanOf({
	traceId,
	spanId,
	parentSpanId,
	name,
	kind,
	startMs,
	endMs,
	attributes,
	error,
}: Span): object {
	return {
		traceId,
		spanId,
		...(parentSpanId !== undefined && { parentSpanId }),
		flags: 1,
		name: shortened(name),
		kind,
		startTimeUnixNano: nanoseconds(startMs),
		endTimeUnixNano: nanoseconds(endMs),
		attributes: attributesOf(attributes),
		status: error === undefined ? {} : { code: STATUS_ERROR, message: shortened(error) },
	};
}

function attributesOf(attributes: SpanAttributes): AttributeValue[] {
	return Object.entries(attributes).flatMap(([key, value]) =>
		value === undefined ? [] : [{ key, value: valueOf(value) }],
	);
}

function valueOf(value: string | number): AttributeValue['value'] {
	if (typeof value === 'string') return { stringValue: shortened(value) };
	return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function shortened(text: string): string {
	const safe = redact(text);
	return safe.length > ATTRIBUTE_CHARACTERS ? `${safe.slice(0, ATTRIBUTE_CHARACTERS)}…` : safe;
}

/** The time as a string, because a double does not hold it. Microseconds are as exact as the clock. */
function nanoseconds(ms: number): string {
	return `${Math.round(ms * 1000)}000`;
}
