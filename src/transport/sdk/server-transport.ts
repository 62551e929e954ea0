/* The server side for the official SDK: our own stdin and stdout. */
import { StdioTransport, type StdioTransportOptions } from '../stdio-transport.ts';
import { SdkTransport } from './sdk-transport.ts';

/** Takes the place of the SDK's `StdioServerTransport`. */
export class OrchestraServerTransport extends SdkTransport {
	constructor(options: StdioTransportOptions = {}) {
		super(() => new StdioTransport(options));
	}
}
