/* Open a connection by URI. */
import { parseStdioUri } from '../process/stdio-uri.ts';
import { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { isTracing, traced, traceToStderr } from './trace.ts';

export interface ConnectOptions extends ChildTransportOptions, ConnectionOptions {
	/** Accepted for symmetry with other transports; stdio has no authentication. */
	auth?: boolean | undefined;
}

/** Start the program that a `stdio:` URI names and talk to it in JSON values. The caller closes. */
export async function connect(uri: string, options: ConnectOptions = {}): Promise<Connection> {
	const transport = await ChildTransport.open(parseStdioUri(uri), options);
	const isShown = isTracing(options.parentEnvironment ?? process.env);
	return new Connection(isShown ? traced(transport, traceToStderr) : transport, options);
}
