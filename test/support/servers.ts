/* MCP servers for the tests of clients, and connections to them that end with the test. */
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import {
	type ConnectServerOptions,
	connectServer,
	type ServerTarget,
} from '../../src/mcp/client/connect-server.ts';
import type { McpClient } from '../../src/mcp/client/mcp-client.ts';
import { ServerConnection, type ServerConnectionOptions } from '../../src/mcp/client/server-connection.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import type { Provider } from '../../src/mcp/server/provider.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { ChildTransport } from '../../src/transport/child-transport.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';

const root = resolve(import.meta.dirname, '../..');

/** A file below `test/fixtures/` as a server. */
export function fixtureServer(file: string, ...args: string[]): SpawnRecord {
	return { command: process.execPath, args: [join(root, 'test/fixtures', file), ...args] };
}

/** The server that does one thing wrong. */
export function misbehaving(how: string, ...args: string[]): SpawnRecord {
	return fixtureServer('servers/misbehaving-server.mjs', how, ...args);
}

/** A reference server that is installed as a package. */
export function installedServer(name: string, ...args: string[]): SpawnRecord {
	const file = join(root, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');
	return { command: process.execPath, args: [file, ...args] };
}

/** Counts the starts of a server. */
export interface Starts {
	(): Promise<ChildTransport>;
	/** The processes that were started. */
	readonly started: ChildTransport[];
}

/** A function that starts this server and remembers the processes. */
export function starting(record: SpawnRecord): Starts {
	const started: ChildTransport[] = [];
	const start = async (): Promise<ChildTransport> => {
		const transport = await ChildTransport.open(record);
		started.push(transport);
		return transport;
	};
	return Object.assign(start, { started });
}

/** The client's end of a connection to a provider in this process. */
export function inProcess(provider: Provider): Transport {
	const [ours, theirs] = memoryPair();
	const session = new McpSession(provider);
	const peer = new Peer(theirs, { ...session.peerOptions, onEnd: () => session.close() });
	session.connect(peer);
	theirs.start(peer);
	return ours;
}

/** A connection that is closed when the test ends. */
export async function connected(
	start: (() => Promise<Transport>) | SpawnRecord,
	options: Partial<ServerConnectionOptions> = {},
): Promise<ServerConnection> {
	const opened = await ServerConnection.open(typeof start === 'function' ? start : starting(start), {
		clientInfo: { name: 'test', version: '1' },
		capabilities: {},
		...options,
	});
	onTestFinished(() => opened.close());
	return opened;
}

/** A client that is closed when the test ends. */
export async function clientOf(target: ServerTarget, options: ConnectServerOptions = {}): Promise<McpClient> {
	const client = await connectServer(target, options);
	onTestFinished(() => client.close());
	return client;
}

/** The error of a promise that must reject. */
export async function failure(promise: Promise<unknown>): Promise<OrchestraError> {
	try {
		await promise;
	} catch (error) {
		if (OrchestraError.is(error)) return error;
		throw error;
	}
	throw new Error('expected a rejection');
}
