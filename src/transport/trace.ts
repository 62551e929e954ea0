/* Show every message of a transport, both ways. Costs nothing when it is not asked for. */
import { printable } from '../printable.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from './transport.ts';

/** True when `ORCHESTRA_TRACE=1` asks for every line on stderr. */
export function isTracing(environment: Readonly<NodeJS.ProcessEnv>): boolean {
	return environment['ORCHESTRA_TRACE'] === '1';
}

/** `transport`, with each message shown to `show` as it passes. */
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
	transport.start = (receiver) => start(shownTo(receiver, show));
	return transport;
}

/** The line that `ORCHESTRA_TRACE` prints. */
export function traceToStderr(direction: '→' | '←', text: string): void {
	process.stderr.write(`${direction} ${printable(text)}\n`);
}

function shownTo(receiver: Receiver, show: (direction: '→' | '←', text: string) => void): Receiver {
	return {
		message: (text) => {
			show('←', text);
			receiver.message(text);
		},
		oversize: (line) => {
			show('←', `${line.head}… (longer than ${line.limitBytes} bytes, dropped)`);
			receiver.oversize(line);
		},
		end: (reason) => receiver.end(reason),
	};
}
