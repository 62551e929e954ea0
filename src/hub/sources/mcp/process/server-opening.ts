/* One start of an MCP server with its handshake, and how long each phase took. */
import { messageOf } from '../../../../errors.ts';
import { diagnosisOf, type Phase } from '../../../../mcp/client/phase-error.ts';
import type { ServerConnection, ServerConnectionOptions } from '../../../../mcp/client/server-connection.ts';
import type { Diagnosis } from '../../../../process/diagnosis.ts';
import type { Transport } from '../../../../transport/transport.ts';
import type { ServerDeps } from '../server-deps.ts';

export class ServerOpening {
	readonly #deps: ServerDeps;
	readonly #options: ServerConnectionOptions;
	readonly #beganAt = performance.now();
	#transport: Transport | undefined;
	#spawnMs: number | undefined;
	#endedAt: number | undefined;

	constructor(deps: ServerDeps, options: ServerConnectionOptions) {
		this.#deps = deps;
		this.#options = options;
	}

	/** The current phase, or the last one. */
	get phase(): Phase {
		return this.#spawnMs === undefined ? 'spawn' : 'initialize';
	}

	/** Milliseconds per phase. */
	get elapsedMs(): Record<string, number> {
		const totalMs = (this.#endedAt ?? performance.now()) - this.#beganAt;
		if (this.#spawnMs === undefined) return { spawn: totalMs };
		return { spawn: this.#spawnMs, initialize: totalMs - this.#spawnMs };
	}

	/** The diagnosis of its process; undefined when there is none. */
	get diagnosis(): Diagnosis | undefined {
		return this.#transport && diagnosisOf(this.#transport);
	}

	/** Start the server. Rejects when it does not start. */
	async run(): Promise<ServerConnection> {
		// Loaded when the first server starts: lists of known servers do not need it.
		const client = await import('../../../../mcp/client/server-connection.ts');
		try {
			return await client.ServerConnection.open((signal) => this.#start(signal), this.#options);
		} finally {
			this.#endedAt = performance.now();
		}
	}

	/** Resolves when the process is gone. Never rejects. */
	async close(): Promise<void> {
		await this.#transport?.close().catch((error: unknown) => this.#deps.log.debug(messageOf(error)));
	}

	/** A recording that cannot be written is a warning. */
	async #recorded(transport: Transport): Promise<Transport> {
		const { entry, environment, log } = this.#deps;
		const { record } = entry.settings;
		if (record === false) return transport;
		try {
			const { recordServer } = await import('../../../../record/record-transport.ts');
			const folder = record === true ? undefined : record;
			return recordServer(transport, { server: entry.name, folder, environment, log });
		} catch (thrown) {
			log.warn(`${entry.name} is not recorded: ${messageOf(thrown)}`);
			return transport;
		}
	}

	async #start(signal: AbortSignal): Promise<Transport> {
		const { entry, environment, limitBytes, log, serverLog } = this.#deps;
		const { add: onStderr, end: onStderrEnd } = serverLog.reader(() => this.diagnosis?.pid);
		const onStray = (line: string): void => serverLog.stray(line);
		const options = { environment, onStderr, onStderrEnd, onStray, limitBytes, log, signal };
		const { openServerTransport } = await import('./open-server-transport.ts');
		this.#transport = await this.#recorded(await openServerTransport(entry, options));
		this.#spawnMs = performance.now() - this.#beganAt;
		return this.#transport;
	}
}
