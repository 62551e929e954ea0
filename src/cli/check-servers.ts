/* `mctl list servers --check`: start each server once, list its tools, and stop it. */
import type { ServerEntry } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { stateFolder } from '../files/state-folder.ts';
import { type KnownServer, knownFileOf, writeKnown } from '../hub/backends/mcp/known-server.ts';
import { listServer } from '../hub/backends/mcp/list-server.ts';
import { openServerTransport } from '../hub/backends/mcp/open-server-transport.ts';
import { listingCapabilities } from '../hub/backends/mcp/server-pool.ts';
import { pinServer } from '../hub/server-drifts.ts';
import { Log } from '../log.ts';
import { ServerConnection } from '../mcp/client/server-connection.ts';
import { redact, redactJson } from '../redact.ts';
import type { Transport } from '../transport/transport.ts';
import { MESSAGE_LIMIT_BYTES } from '../wire/wire-limits.ts';
import type { CommandInput } from './command.ts';

/** Servers that start at the same time. */
const STARTS_AT_ONCE = 4;

/** How a server did. */
export type ServerCheck =
	| {
			readonly isOk: true;
			/** Start, handshake and list of tools. */
			readonly elapsedMs: number;
			readonly tools: number;
			readonly era: 'legacy' | 'modern';
			readonly revision: string;
			readonly version: string | null;
	  }
	| {
			readonly isOk: false;
			readonly elapsedMs: number;
			readonly error: { code: string; message: string; hint?: string | undefined; data: unknown };
	  };

/** The checks in the order of `entries`; at most four servers start at a time, each with its own deadline. */
export async function checkServers(
	entries: readonly ServerEntry[],
	{ environment, signal }: Pick<CommandInput, 'environment' | 'signal'>,
	onChecked: (count: number) => void,
): Promise<ServerCheck[]> {
	const checks: ServerCheck[] = [];
	const waiting = entries.map((entry, at) => ({ entry, at }));
	let count = 0;
	const work = async (): Promise<void> => {
		for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
			checks[next.at] = await checkServer(next.entry, environment, signal);
			onChecked(++count);
		}
	};
	await Promise.all(Array.from({ length: STARTS_AT_ONCE }, work));
	signal.throwIfAborted();
	return checks;
}

async function checkServer(
	entry: ServerEntry,
	environment: CommandInput['environment'],
	signal: AbortSignal,
): Promise<ServerCheck> {
	const startedAt = performance.now();
	const elapsed = (): number => Math.round(performance.now() - startedAt);
	const { startMs, scope } = entry.settings;
	try {
		const clientInfo = { name: 'mctl', version: packageVersion() };
		const start = (): Promise<Transport> => open(entry, environment);
		const capabilities = listingCapabilities(scope);
		const connection = await ServerConnection.open(start, { clientInfo, capabilities, startMs, signal });
		const stop = (): void => void connection.close();
		signal.addEventListener('abort', stop, { once: true });
		try {
			const known = await listServer(connection, { ...entry.settings, log: Log.silent });
			remember(entry, environment, known);
			await pinServer(entry, environment, known);
			const { tools, era, revision, serverInfo } = known;
			const version = serverInfo?.version ?? null;
			return { isOk: true, elapsedMs: elapsed(), tools: tools.length, era, revision, version };
		} finally {
			signal.removeEventListener('abort', stop);
			await connection.close();
		}
	} catch (thrown) {
		const { code, message, hint, data } = OrchestraError.from(thrown);
		// A server may quote its environment.
		const error = { code, message: redact(message), hint: hint && redact(hint), data: redactJson(data) };
		return { isOk: false, elapsedMs: elapsed(), error };
	}
}

/** The hub need not start the server for its lists then. */
function remember(entry: ServerEntry, environment: CommandInput['environment'], known: KnownServer): void {
	try {
		writeKnown(knownFileOf(stateFolder(environment), entry, packageVersion()), known);
	} catch {
		// The check itself has worked; the hub reports a state folder that cannot be written.
	}
}

function open(entry: ServerEntry, environment: CommandInput['environment']): Promise<Transport> {
	// The last lines of stderr are kept by the transport, for its errors.
	return openServerTransport(entry, {
		environment,
		onStderr: () => {},
		limitBytes: MESSAGE_LIMIT_BYTES,
		log: Log.silent,
	});
}
