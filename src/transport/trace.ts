/* Trace every message of a transport in both directions. Free when it is off. */
import { printable } from '../printable.ts';
import type { Transport } from './transport.ts';
import { observed } from './transport-observer.ts';

/** True when `ORCHESTRA_TRACE=1` is set. */
export function isTracing(environment: Readonly<NodeJS.ProcessEnv>): boolean {
	return environment['ORCHESTRA_TRACE'] === '1';
}

/** `transport`, with each message on stderr when `ORCHESTRA_TRACE=1` is set. */
export function withTrace<T extends Transport>(
	transport: T,
	environment: Readonly<NodeJS.ProcessEnv> = process.env,
): T {
	if (!isTracing(environment)) return transport;
	return traced(transport, (direction, text) => process.stderr.write(`${direction} ${printable(text)}\n`));
}

/** `transport`, with `show` called for each message. */
export function traced<T extends Transport>(
	transport: T,
	show: (direction: '→' | '←', text: string) => void,
): T {
	return observed(transport, {
		sent: (text) => {
			show('→', text);
			return text;
		},
		received: (text) => show('←', text),
		oversize: ({ head, limitBytes }) => show('←', `${head}… (longer than ${limitBytes} bytes, dropped)`),
	});
}
