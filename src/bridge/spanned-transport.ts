/* A connection to a hub whose calls have spans. */
import { observed } from '../transport/observed-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { canceledId, hubHead, readHead } from './relayed-message.ts';
import type { RequestSpans } from './request-spans.ts';

/** `transport`, with a span for each call that it sends. */
export function withSpans<T extends Transport>(transport: T, spans: RequestSpans): T {
	return observed(transport, {
		sent: (text) => sentText(text, spans),
		received: (text) => {
			const head = hubHead(text);
			if (head.kind === 'response') spans.answered(text, head);
		},
		ended: (reason) => spans.lost(reason.message),
	});
}

function sentText(text: string, spans: RequestSpans): string {
	const head = readHead(text);
	if (head.kind === 'notification' && head.method === 'notifications/cancelled')
		spans.canceled(canceledId(text) ?? '');
	return spans.sent(text, head);
}
