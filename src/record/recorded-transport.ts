/* A transport to an MCP server whose messages are recorded. */
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import type { Recorder } from './recorder.ts';

/** `transport`, recorded; the recording ends with it. */
export function recorded<T extends Transport>(transport: T, recorder: Recorder): T {
	const post = transport.post.bind(transport);
	const start = transport.start.bind(transport);
	const close = transport.close.bind(transport);
	transport.post = (text, about) => {
		recorder.record('client', text);
		return post(text, about);
	};
	transport.start = (receiver) => start(recordedReceiver(receiver, recorder));
	transport.close = () => close().finally(() => recorder.close());
	return transport;
}

function recordedReceiver(receiver: Receiver, recorder: Recorder): Receiver {
	return {
		message: (text) => {
			recorder.record('server', text);
			receiver.message(text);
		},
		oversize: (line) => receiver.oversize(line),
		...(receiver.failed && { failed: (id, error) => receiver.failed?.(id, error) }),
		end: (reason) => {
			recorder.close();
			receiver.end(reason);
		},
	};
}
