/*
 * Start a server and complete the handshake, within one deadline.
 *
 * Some legacy servers exit when a request comes before `initialize`. Such a server is
 * started once more, as legacy and without the probe.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type Diagnosis, explainExit, lastLinesText } from '../../process/diagnosis.ts';
import { abortable, onAbort } from '../../rpc/abortable.ts';
import { timerMs, within } from '../../rpc/clock.ts';
import type { Transport } from '../../transport/transport.ts';
import { CHILD_PROBE_MS, LAST_LINES_MS, REMOTE_PROBE_MS, SERVER_START_MS } from '../mcp-limits.ts';
import { handshake, type ServerDescription } from './handshake.ts';
import { diagnosisOf, type Phase, withPhase } from './phase-error.ts';
import type { ClientIdentity } from './request-envelope.ts';
import { ServerLink, type ServerLinkHandlers } from './server-link.ts';

/** What is known of a server before it starts, and how long that may take. */
export interface StartOptions {
	/** The era of an earlier connection: `legacy` skips the probe, `modern` waits longer for its answer. */
	knownEra?: 'legacy' | 'modern' | undefined;
	/** Silence after the probe that makes a server legacy, in milliseconds. Default 2 s, over HTTP 10 s. */
	probeMs?: number | undefined;
	/** Deadline of start and handshake, in milliseconds. Default 60 s. */
	startMs?: number | undefined;
	/** Cancels the start. */
	signal?: AbortSignal | undefined;
}

export interface OpenServerLinkOptions extends StartOptions {
	readonly identity: ClientIdentity;
	readonly log: Log;
	/** The handlers of a link; called again for a second start. */
	readonly handlers: () => ServerLinkHandlers;
}

export interface OpenedServerLink {
	readonly link: ServerLink;
	readonly description: ServerDescription;
	/** The time from the first start to the end of the handshake. */
	readonly startedInMs: number;
}

/** Start a server. Rejects with `data.phase` `spawn` or `initialize`; the process is stopped then. */
export async function openServerLink(
	start: (signal: AbortSignal) => Promise<Transport>,
	options: OpenServerLinkOptions,
): Promise<OpenedServerLink> {
	const { startMs = SERVER_START_MS, signal } = options;
	const deadline = new AbortController();
	const timer = setTimeout(() => deadline.abort(), timerMs(startMs));
	const stopListening = onAbort(signal, () => deadline.abort());
	try {
		return await new Opening(start, options, deadline.signal).run();
	} finally {
		clearTimeout(timer);
		stopListening();
	}
}

class Opening {
	readonly #start: (signal: AbortSignal) => Promise<Transport>;
	readonly #options: OpenServerLinkOptions;
	readonly #signal: AbortSignal;
	readonly #startedAt = performance.now();

	constructor(
		start: (signal: AbortSignal) => Promise<Transport>,
		options: OpenServerLinkOptions,
		signal: AbortSignal,
	) {
		this.#start = start;
		this.#options = options;
		this.#signal = signal;
	}

	async run(): Promise<OpenedServerLink> {
		const isKnownLegacy = this.#options.knownEra === 'legacy';
		return (await this.#attempt(!isKnownLegacy, !isKnownLegacy)) ?? this.#lastAttempt();
	}

	async #lastAttempt(): Promise<OpenedServerLink> {
		const opened = await this.#attempt(false, false);
		// It exited on the probe.
		if (opened) return { ...opened, description: { ...opened.description, isProven: () => true } };
		throw new OrchestraError('internal', 'the last attempt to start a server neither succeeded nor failed');
	}

	/** One process. Undefined when it exited after the probe and `mayRepeat` is set. */
	async #attempt(probes: boolean, mayRepeat: boolean): Promise<OpenedServerLink | undefined> {
		const transport = await this.#startTransport();
		const link = new ServerLink(transport, this.#options.handlers());
		try {
			const { identity } = this.#options;
			const probeMs = this.#probeMs(transport);
			const description = await handshake(link, { identity, probes, probeMs, signal: this.#signal });
			link.setRevision(description.revision);
			return { link, description, startedInMs: Math.round(performance.now() - this.#startedAt) };
		} catch (error) {
			const isExit = OrchestraError.is(link.endReason, 'closed') && !this.#signal.aborted;
			const closed = this.#close(link);
			// A canceled caller is released at once.
			if (!this.#signal.aborted) await within(closed, LAST_LINES_MS);
			if (isExit && mayRepeat) return undefined;
			throw this.#explain(link.isEcho ? notServer() : error, 'initialize', diagnosisOf(transport));
		}
	}

	/** A server that was modern before, and a server that answers late but always, get more time for the answer. */
	#probeMs({ isRemote = false }: Transport): number {
		const { knownEra, probeMs, startMs = SERVER_START_MS } = this.#options;
		const halfMs = startMs / 2;
		if (knownEra === 'modern') return Math.max(probeMs ?? CHILD_PROBE_MS, halfMs);
		return probeMs ?? (isRemote ? Math.min(REMOTE_PROBE_MS, halfMs) : CHILD_PROBE_MS);
	}

	async #startTransport(): Promise<Transport> {
		const signal = this.#signal;
		const start = async (): Promise<Transport> => {
			const transport = await this.#start(signal);
			// It started after its caller was released.
			if (signal.aborted) void this.#close(transport);
			return transport;
		};
		try {
			return await abortable(start, signal);
		} catch (error) {
			throw this.#explain(error, 'spawn', undefined);
		}
	}

	#close(server: Pick<Transport, 'close'>): Promise<void> {
		return server.close().catch((error: unknown) => {
			this.#options.log.debug(`close failed: ${messageOf(error)}`);
		});
	}

	#explain(error: unknown, phase: Phase, diagnosis: Diagnosis | undefined): OrchestraError {
		const { signal, startMs = SERVER_START_MS } = this.#options;
		const data = { ...diagnosis, phase, elapsedMs: Math.round(performance.now() - this.#startedAt) };
		if (signal?.aborted) {
			return new OrchestraError('canceled', 'the start of the server was canceled', {
				cause: signal.reason,
				data,
			});
		}
		if (this.#signal.aborted) {
			return new OrchestraError('timeout', `the server was not ready within ${startMs}ms`, {
				hint: stateHint(diagnosis),
				data: { ...data, timeoutMs: startMs, kind: 'start' },
			});
		}
		if (diagnosis && OrchestraError.is(error, 'closed')) {
			return new OrchestraError('closed', 'the server exited before the handshake was complete', {
				cause: error,
				hint: explainExit(diagnosis),
				data,
			});
		}
		const failed = withPhase(error, phase);
		return new OrchestraError(failed.code, failed.message, {
			cause: failed.cause,
			hint: failed.hint,
			data: { ...data, ...failed.data },
		});
	}
}

function notServer(): OrchestraError {
	return new OrchestraError('bad_frame', 'this is no MCP server: it sends back what it receives', {
		hint: 'Name the program of the MCP server, and what it needs to speak MCP on stdin and stdout.',
	});
}

/** The reason why a server did not answer. */
function stateHint(diagnosis: Diagnosis | undefined): string {
	if (diagnosis === undefined) return 'Check that the program is an MCP server, or raise `startMs`.';
	const { command, strayCount } = diagnosis;
	const stray = strayCount > 0 ? ` It printed ${strayCount} lines on stdout that are no messages.` : '';
	return `\`${command}\` started but did not answer; check that it is an MCP server, or raise \`startMs\`.${stray}${lastLinesText(diagnosis)}`;
}
