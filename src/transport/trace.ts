/* Trace every message of a transport in both directions. Free when it is off. */
import { printable } from '../printable.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from './transport.ts';

/** True when `ORCHESTRA_TRACE=1` is set. */
export function isTracing(environment: Readonly<NodeJS.ProcessEnv>): boolean {
	return environment['ORCHESTRA_TRACE'] === '1';
}

/** `transport`, with `show` called for each message. */
export function traced<T extends Transport>(
	transport: T,
	show: (direction: '→' | '←', text: string) => void,
): T {
	const post = transport.post.bind(transport);
	const start = transport.start.bind(transport);
	transport.post = (text) => {
		show('→', text);
		return post(text);
	};
	transport.start = (receiver) => start(tracedReceiver(receiver, show));
	return transport;
}

/** Print one message on stderr, as `ORCHESTRA_TRACE` does. */
export function traceToStderr(direction: '→' | '←', text: string): void {
	process.stderr.write(`${direction} ${printable(text)}\n`);
}

function tracedReceiver(receiver: Receiver, show: (direction: '→' | '←', text: string) => void): Receiver {
	return {
		message: (text) => {
			show('←', text);
			receiver.message(text);
		},
		oversize: (line) => {
			show('←', `${line.head}… (longer than ${line.limitBytes} bytes, dropped)`);
			receiver.oversize(line);
		},
		...(receiver.failed && { failed: (id, error) => receiver.failed?.(id, error) }),
		end: (reason) => receiver.end(reason),
	};
}
