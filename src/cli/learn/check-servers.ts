/* Start servers once, cache their lists, and stop them: `mctl list servers --check`, `mctl learn`. */
import type { ServerEntry } from '../../config/configuration.ts';
import { attempt, firstLine, OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { pinServer } from '../../hub/server-drifts.ts';
import { needsSignIn } from '../../hub/source-status.ts';
import { openServerTransport } from '../../hub/sources/mcp/process/open-server-transport.ts';
import { listingCapabilities } from '../../hub/sources/mcp/process/server-pool.ts';
import { readServerLists } from '../../hub/sources/mcp/read-server-lists.ts';
import {
	type CachedServer,
	cacheFilesHere,
	type StoredFailure,
	writeFailure,
	writeKnown,
} from '../../hub/sources/mcp/server-cache.ts';
import { STARTS_AT_ONCE } from '../../hub/sources/source-limits.ts';
import { Log } from '../../log.ts';
import type { LeftOutItem } from '../../mcp/client/list-pages.ts';
import { ServerConnection } from '../../mcp/client/server-connection.ts';
import { redact, redactJson } from '../../redact.ts';
import { onAbort } from '../../rpc/abortable.ts';
import type { Transport } from '../../transport/transport.ts';
import { MESSAGE_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { LEARN_LISTS_MS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';

type CheckInput = Pick<CommandInput, 'cwd' | 'environment' | 'signal'>;

/** How a server did. */
export type ServerCheck =
	| {
			readonly isOk: true;
			/** Start, handshake and list of tools. */
			readonly elapsedMs: number;
			readonly tools: number;
			readonly leftOut: readonly LeftOutItem[];
			readonly era: 'legacy' | 'modern';
			readonly revision: string;
			readonly version: string | null;
	  }
	| {
			readonly isOk: false;
			readonly elapsedMs: number;
			readonly error: { code: string; message: string; hint?: string | undefined; data: unknown };
	  };

/** The checks in the order of `entries`, each with its own deadline. */
export function checkServers(
	entries: readonly ServerEntry[],
	input: CheckInput,
	onChecked: (count: number) => void,
): Promise<ServerCheck[]> {
	return eachServer(entries, input.signal, (entry) => checkServer(entry, input), onChecked);
}

/** The results of `start` in the order of `entries`; at most four servers start at a time. */
export async function eachServer<T>(
	entries: readonly ServerEntry[],
	signal: AbortSignal,
	start: (entry: ServerEntry) => Promise<T>,
	onEnd: (count: number) => void,
): Promise<T[]> {
	const results: T[] = [];
	const waiting = entries.map((entry, at) => ({ entry, at }));
	let count = 0;
	const work = async (): Promise<void> => {
		for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
			results[next.at] = await start(next.entry);
			onEnd(++count);
		}
	};
	await Promise.all(Array.from({ length: STARTS_AT_ONCE }, work));
	signal.throwIfAborted();
	return results;
}

/** Start one server, cache its lists, and stop it. @param totalMs longest time of all that; default: the settings */
export async function checkServer(
	entry: ServerEntry,
	{ cwd, environment, signal }: CheckInput,
	totalMs?: number,
): Promise<ServerCheck> {
	const startedAt = performance.now();
	const elapsed = (): number => Math.round(performance.now() - startedAt);
	try {
		const known = await listOnce(entry, { cwd, environment, signal }, totalMs);
		remember(entry, environment, known);
		await pinServer(entry, environment, known);
		const { tools, leftOut = [], era, revision, serverInfo } = known;
		const version = serverInfo?.version ?? null;
		return { isOk: true, elapsedMs: elapsed(), tools: tools.length, leftOut, era, revision, version };
	} catch (thrown) {
		const { code, message, hint, data } = OrchestraError.from(thrown);
		// A server may quote its environment.
		const error = { code, message: redact(message), hint: hint && redact(hint), data: redactJson(data) };
		if (!signal.aborted) {
			const failure = { message: firstLine(error.message), needsSignIn: needsSignIn(thrown) };
			rememberFailure(entry, environment, failure);
		}
		return { isOk: false, elapsedMs: elapsed(), error };
	}
}

/** Start a server, list its items, and stop it. @param totalMs longest time of all that; default: the settings */
export async function listOnce(
	entry: ServerEntry,
	{ environment, signal }: CheckInput,
	totalMs?: number,
): Promise<CachedServer> {
	const startedAt = performance.now();
	const { startMs, scope, timeoutMs, maxMs } = entry.settings;
	const clientInfo = { name: 'mctl', version: packageVersion() };
	const start = (): Promise<Transport> => open(entry, environment);
	const capabilities = listingCapabilities(scope);
	const connection = await ServerConnection.open(start, { clientInfo, capabilities, startMs, signal });
	const stopListening = onAbort(signal, () => void connection.close());
	try {
		const leftMs =
			totalMs === undefined ? maxMs : Math.max(LEARN_LISTS_MS, totalMs - (performance.now() - startedAt));
		return await readServerLists(connection, { timeoutMs, maxMs: leftMs, log: Log.silent });
	} finally {
		stopListening();
		await connection.close();
	}
}

/** The hub need not start the server for its lists then. */
function remember(entry: ServerEntry, environment: CommandInput['environment'], known: CachedServer): void {
	// The check itself has worked; the hub reports a state folder that cannot be written.
	attempt(() => writeKnown(cacheFilesHere(entry, environment), known));
}

/** A list of the hub does not wait for the server then. */
function rememberFailure(
	entry: ServerEntry,
	environment: CheckInput['environment'],
	failure: StoredFailure,
): void {
	// As for the lists above.
	attempt(() => writeFailure(cacheFilesHere(entry, environment), failure));
}

function open(entry: ServerEntry, environment: CommandInput['environment']): Promise<Transport> {
	// The last lines of stderr are retained by the transport, for its errors.
	return openServerTransport(entry, {
		environment,
		onStderr: () => {},
		limitBytes: MESSAGE_LIMIT_BYTES,
		log: Log.silent,
	});
}
