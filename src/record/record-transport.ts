/* A transport to an MCP server whose messages are recorded. */

import type { Log } from '../log.ts';
import type { Transport } from '../transport/transport.ts';
import { observed } from '../transport/transport-observer.ts';
import { Recorder } from './recorder.ts';
import { userRecordings } from './recording-files.ts';

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

interface RecordServerOptions {
	readonly server: string;
	/** Default: that of the state folder. */
	readonly folder: string | undefined;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

/** The transport, recorded until it is closed. Throws when the folder cannot be used. */
export function recordServer(transport: Transport, options: RecordServerOptions): Transport {
	const { server, log } = options;
	const folder = options.folder ?? userRecordings(options.environment, log);
	return recorded(transport, new Recorder({ folder, server, log, keepsAll: options.folder !== undefined }));
}
