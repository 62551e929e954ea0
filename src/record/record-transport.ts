/* A transport to an MCP server whose messages are recorded. */
import { observed } from '../transport/observed-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { Recorder } from './recorder.ts';

/** `transport`, recorded; the recording ends with it. */
export function recorded<T extends Transport>(transport: T, recorder: Recorder): T {
	const close = transport.close.bind(transport);
	transport.close = () => close().finally(() => recorder.close());
	return observed(transport, {
		sent: (text) => {
			recorder.record('client', text);
			return text;
		},
		received: (text) => recorder.record('server', text),
		ended: () => recorder.close(),
	});
}
