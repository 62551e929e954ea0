/* The client side for the official SDK: start a server process and talk to it. */
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { ChildTransport, type ChildTransportOptions } from '../child-transport.ts';
import { SdkTransport } from './sdk-transport.ts';

/** Takes the place of the SDK's `StdioClientTransport`. */
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
