/* Client transport for the official SDK: starts a server process. */
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { ChildTransport, type ChildTransportOptions } from '../child-transport.ts';
import { SdkTransport } from './sdk-transport.ts';

/** Drop-in replacement for the SDK's `StdioClientTransport`. */
export class OrchestraClientTransport extends SdkTransport {
	#child: ChildTransport | undefined;

	constructor(record: SpawnRecord, options: ChildTransportOptions = { stderr: 'inherit' }) {
		super(async () => {
			this.#child = await ChildTransport.open(record, options);
			return this.#child;
		});
	}

	/** Pid of the server, once started. */
	get pid(): number | null {
		return this.#child?.pid ?? null;
	}
}
