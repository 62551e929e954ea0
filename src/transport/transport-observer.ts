/* A transport whose messages are seen, or replaced, on their way. */
import type { OrchestraError } from '../errors.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Transport } from './transport.ts';

export interface TransportObserver {
	/** Gives the text that is sent in place of `text`. */
	sent?(text: string): string;
	received?(text: string): void;
	oversize?(line: OversizeLine): void;
	ended?(reason: OrchestraError): void;
}

/** The same transport, observed. */
export function observed<T extends Transport>(transport: T, observer: TransportObserver): T {
	const post = transport.post.bind(transport);
	const start = transport.start.bind(transport);
	transport.post = (text, about) => post(observer.sent?.(text) ?? text, about);
	transport.start = (receiver) => start(observedReceiver(receiver, observer));
	return transport;
}

/** `receiver`, which gets each message after the observer. */
export function observedReceiver(receiver: Receiver, observer: Omit<TransportObserver, 'sent'>): Receiver {
	return {
		message: (text) => {
			observer.received?.(text);
			receiver.message(text);
		},
		oversize: (line) => {
			observer.oversize?.(line);
			receiver.oversize(line);
		},
		...(receiver.failed && { failed: (id, error) => receiver.failed?.(id, error) }),
		end: (reason) => {
			observer.ended?.(reason);
			receiver.end(reason);
		},
	};
}
