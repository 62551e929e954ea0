/* Server transport for the official SDK: the stdin and stdout of this process. */
import { StdioTransport, type StdioTransportOptions } from '../stdio-transport.ts';
import { SdkTransport } from './sdk-transport.ts';

/** Drop-in replacement for the SDK's `StdioServerTransport`. */
export class OrchestraServerTransport extends SdkTransport {
	constructor(options: StdioTransportOptions = {}) {
		super(() => new StdioTransport(options));
	}
}
