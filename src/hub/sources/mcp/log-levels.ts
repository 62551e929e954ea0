/*
 * The log levels of legacy servers. A server has one level for all its clients: the most
 * verbose that one of them has set. It is sent to servers that run; none is started for it.
 */
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import { logLevels, type McpLogLevel } from '../../../protocol/mcp-types.ts';
import { reachesLevel } from '../../../protocol/reaches-level.ts';
import type { ConnectedClients } from '../../sessions/connected-clients.ts';
import type { ServerProcess } from './process/server-process.ts';

export class LogLevels {
	readonly #clients: ConnectedClients;
	/** The level that was sent last. */
	readonly #sent = new WeakMap<ServerConnection, McpLogLevel>();

	constructor(clients: ConnectedClients) {
		this.#clients = clients;
	}

	/** A call needs this level. */
	need(connection: ServerConnection, level: McpLogLevel | undefined): void {
		if (connection.era === 'modern' || level === undefined || !connection.capabilities.logging) return;
		if (!reachesLevel(level, this.#sent.get(connection))) this.#send(connection, level);
	}

	/** The process started, or its clients or their levels changed. */
	update(process: ServerProcess): void {
		const { connection, contexts } = process;
		if (connection?.era !== 'legacy' || !connection.capabilities.logging) return;
		const wanted = new Set([
			...this.#clients.servedBy(process).map(({ client }) => client?.chosenLogLevel),
			...contexts.map(({ chosenLogLevel }) => chosenLogLevel),
		]);
		const level = logLevels.find((each) => wanted.has(each));
		if (level !== undefined && level !== this.#sent.get(connection)) this.#send(connection, level);
	}

	#send(connection: ServerConnection, level: McpLogLevel): void {
		this.#sent.set(connection, level);
		// A server that refuses it keeps its own level.
		connection.request('logging/setLevel', { level }).catch(() => {});
	}
}
