/* A connection to a hub whose calls have spans. */
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import { canceledId, readHead } from './message-head.ts';
import type { RequestSpans } from './request-spans.ts';

/** `transport`, with a span for each call that it sends. */
export function withSpans<T extends Transport>(transport: T, spans: RequestSpans): T {
	const post = transport.post.bind(transport);
	const start = transport.start.bind(transport);
	transport.post = (text, about) => post(sentText(text, spans), about);
	transport.start = (receiver) => start(spannedReceiver(receiver, spans));
	return transport;
}

function sentText(text: string, spans: RequestSpans): string {
	const head = readHead(text);
	if (head.kind === 'notification' && head.method === 'notifications/cancelled')
		spans.canceled(canceledId(text) ?? '');
	return spans.sent(text, head);
}

function spannedReceiver(receiver: Receiver, spans: RequestSpans): Receiver {
	return {
		message: (text) => {
			const head = readHead(text);
			if (head.kind === 'response') spans.answered(text, head);
			receiver.message(text);
		},
		oversize: (line) => receiver.oversize(line),
		...(receiver.failed && { failed: (id, error) => receiver.failed?.(id, error) }),
		end: (reason) => {
			spans.lost(reason.message);
			receiver.end(reason);
		},
	};
}
