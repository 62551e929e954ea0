/* Open the transport to a configured MCP server. The only place that knows how a kind of server is reached. */
import type { ServerEntry } from '../../../config/configuration.ts';
import { markedEnvironment } from '../../../config/own-entry.ts';
import type { Log } from '../../../log.ts';
import { resolveSecrets } from '../../../secrets/resolve-secret.ts';
import type { Transport } from '../../../transport/transport.ts';

export interface ServerTransportOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Receives the stderr of a child process. */
	readonly onStderr: (chunk: Buffer) => void;
	/** Called after its last chunk. */
	readonly onStderrEnd?: (() => void) | undefined;
	/** Receives lines of its stdout that are no messages. */
	readonly onStray?: ((line: string) => void) | undefined;
	/** Longest message of the server, in bytes. */
	readonly limitBytes: number;
	readonly log: Log;
}

/** Start or dial the server. The caller closes the transport. */
export async function openServerTransport(
	entry: ServerEntry,
	{ environment, onStderr, onStderrEnd, onStray, limitBytes, log }: ServerTransportOptions,
): Promise<Transport> {
	if (entry.kind !== 'stdio') {
		const { openRemoteTransport } = await import('../../../oauth/open-remote-transport.ts');
		return openRemoteTransport(entry, { environment, limitBytes, log });
	}
	const { ChildTransport } = await import('../../../transport/child-transport.ts');
	const own = await resolveSecrets(entry.record.env ?? {}, entry.secrets, { environment });
	const env = { ...markedEnvironment(environment, entry), ...own };
	const stderr = { stderr: onStderr, onStderrEnd };
	const options = { parentEnvironment: environment, ...stderr, onStray, limitBytes, log };
	return ChildTransport.open({ ...entry.record, env }, options);
}
