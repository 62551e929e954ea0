/* Record the connection to a server of the configuration. */
import type { Log } from '../log.ts';
import type { Transport } from '../transport/transport.ts';
import { recorded } from './record-transport.ts';
import { Recorder } from './recorder.ts';
import { ownRecordings } from './recording-files.ts';

export interface RecordServerOptions {
	readonly server: string;
	/** Default: that of the state folder. */
	readonly folder: string | undefined;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

/** The transport, recorded until it is closed. Throws when the folder cannot be used. */
export function recordServer(transport: Transport, options: RecordServerOptions): Transport {
	const { server, log } = options;
	const folder = options.folder ?? ownRecordings(options.environment, log);
	return recorded(transport, new Recorder({ folder, server, log, keepsAll: options.folder !== undefined }));
}
