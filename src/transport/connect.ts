/* Open a connection by URI. */
import { parseStdioUri } from '../process/stdio-uri.ts';
import { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { withTrace } from './trace.ts';

/** Settings of `connect`. */
export interface ConnectOptions extends ChildTransportOptions, ConnectionOptions {
	/** Accepted for symmetry with other transports; stdio has no authentication. */
	auth?: boolean | undefined;
}

/** Start the program of a `stdio:` URI and exchange JSON values with it. The caller closes the connection. */
export async function connect(uri: string, options: ConnectOptions = {}): Promise<Connection> {
	const stderr = options.stderr ?? 'inherit';
	const transport = await ChildTransport.open(parseStdioUri(uri), { ...options, stderr });
	return new Connection(withTrace(transport, options.parentEnvironment), options);
}
