/* The W3C `traceparent`: which trace a message belongs to, and which span sent it. */

/** The `traceparent` of a received message. */
export interface TraceParent {
	/** 32 hex digits. */
	readonly traceId: string;
	/** 16 hex digits. */
	readonly spanId: string;
	/** False when the sender does not record this trace. */
	readonly isSampled: boolean;
}

const SAMPLED = 1;
/** Version 00 has exactly these fields; a later one may have more. */
const form = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Undefined when it is not valid, which the specification treats like none. */
export function parseTraceparent(text: unknown): TraceParent | undefined {
	if (typeof text !== 'string') return undefined;
	const [, version, traceId, spanId, flags, more] = form.exec(text) ?? [];
	if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
	if (version === '00' && more !== undefined) return undefined;
	if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
	return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The header of a span that is recorded. */
export function formatTraceparent({ traceId, spanId }: Pick<TraceParent, 'traceId' | 'spanId'>): string {
	return `00-${traceId}-${spanId}-01`;
}

/** Random hex digits, never all zero. */
export function randomHex(bytes: number): string {
	const random = crypto.getRandomValues(new Uint8Array(bytes));
	if (random.every((byte) => byte === 0)) random[0] = 1;
	return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
