/* A hub in this process over real MCP servers, and MCP clients of it. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Journal } from '../../src/hub/journal/journal.ts';
import { type OpenedHub, openHub } from '../../src/hub/open-hub.ts';
import { Log } from '../../src/log.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { rpcErrorOf } from '../../src/rpc/rpc-error.ts';
import type { Tracer } from '../../src/telemetry/tracer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { JsonText } from '../../src/wire/json-text.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

const fixture = resolve(import.meta.dirname, '../fixtures/servers/gateway-server.mjs');
/** A busy machine may need long to start a server. */
const LIST_MS = 20_000;
const MODERN = 'io.modelcontextprotocol/';

export interface ServedHub {
	readonly opened: OpenedHub;
	/** The folder of the configuration, with the file of the starts. */
	readonly folder: string;
	/** The folder of what is known of servers. */
	readonly servers: string;
	readonly environment: Record<string, string>;
	/** The lines of the hub's log. */
	readonly log: string[];
	/** A legacy client. */
	client(options?: HubClientOptions): Promise<HubClient>;
	/** The events that the servers wrote: `start`, `ready`, `canceled`, … with pid and time. */
	events(event?: string): { event: string; pid: number; at: number }[];
	/** The same folder and state with a new hub. */
	again(): Promise<ServedHub>;
	close(): Promise<void>;
}

export interface HubClientOptions {
	readonly capabilities?: object;
	/** Answers the client requests of servers. */
	readonly onClientRequest?: (
		method: string,
		params: unknown,
		call: { readonly signal: AbortSignal },
	) => unknown;
	readonly era?: 'legacy' | 'modern';
	readonly sessionId?: string;
	/** The name in its `clientInfo`. Default `test`. */
	readonly name?: string;
}

export interface HubClient {
	readonly peer: Peer;
	/** The notifications that it received, in order. */
	readonly notifications: { method: string; params: unknown }[];
	/** Their texts. */
	readonly lines: string[];
	request(method: string, params?: object, options?: object): Promise<Record<string, unknown>>;
	/** The same, with the text of the result. */
	requestText(method: string, params?: object): Promise<JsonText>;
	/** The text of a tool's result. */
	call(name: string, input?: object, options?: object): Promise<string>;
	/** The JSON-RPC error of a call. */
	failure(
		name: string,
		input?: object,
	): Promise<{ code: number; message: string; data: Record<string, unknown> }>;
	close(): void;
}

/** An entry for the server by hand. */
export function gateway(settings: object = {}, how = 'normal', env: Record<string, string> = {}): object {
	return {
		command: process.execPath,
		args: [fixture, how],
		env: { STARTS: '${STARTS}', ...env },
		...settings,
	};
}

/** Open a hub over these servers. It is closed when the test ends. */
export async function serveServers(
	mcpServers: Record<string, unknown>,
	{
		folder = temporaryFolder(),
		home = folder,
		more = {},
		journal,
		tracer,
	}: { folder?: string; home?: string; more?: object; journal?: Journal; tracer?: Tracer } = {},
): Promise<ServedHub> {
	const starts = join(home, 'starts');
	const environment = {
		PATH: process.env['PATH'] ?? '',
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		STARTS: starts,
		ORCHESTRA_TRUST: 'all',
	};
	writeFiles(folder, {
		'orchestra.json': JSON.stringify({ mcpServers, limits: { listMs: LIST_MS }, ...more }),
	});
	const log: string[] = [];
	const opened = await openHub({
		cwd: folder,
		environment,
		journal,
		tracer,
		log: new Log('test', {
			level: 'info',
			format: 'text',
			write: (line) => log.push(line),
			now: () => new Date(),
		}),
	});
	const shared = sharedState();
	const served: ServedHub = {
		opened,
		folder,
		environment,
		servers: join(home, 'state/orchestra/servers'),
		log,
		client: (options = {}) => connect(opened, shared, options),
		events: (event) => eventsIn(starts).filter((each) => event === undefined || each.event === event),
		again: async () => {
			await opened.close();
			return serveServers(mcpServers, { folder, home, more });
		},
		close: () => opened.close(),
	};
	onTestFinished(() => opened.close());
	return served;
}

async function connect(
	{ hub }: OpenedHub,
	shared: ReturnType<typeof sharedState>,
	{ capabilities = {}, onClientRequest, era = 'legacy', sessionId, name = 'test' }: HubClientOptions,
): Promise<HubClient> {
	const [ours, theirs] = memoryPair();
	const session = new McpSession(hub, { shared, sessionId });
	const server = new Peer(theirs, session.peerOptions);
	session.connect(server);
	theirs.start(server);
	const notifications: HubClient['notifications'] = [];
	const lines: string[] = [];
	const peer = new Peer(ours, {
		onNotification: (method, params, text) => {
			notifications.push({ method, params });
			lines.push(text);
		},
		onRequest: (call) => onClientRequest?.(call.method, call.params, call),
	});
	ours.start(peer);
	const envelope = {
		[`${MODERN}protocolVersion`]: '2026-07-28',
		[`${MODERN}clientCapabilities`]: capabilities,
		[`${MODERN}clientInfo`]: { name, version: '1' },
	};
	const request: HubClient['request'] = async (method, params = {}, options = {}) => {
		const meta = { ...envelope, ...('_meta' in params ? (params._meta as object) : {}) };
		const sent = era === 'modern' ? { ...params, _meta: meta } : params;
		return (await peer.request(method, sent, options)) as Record<string, unknown>;
	};
	if (era === 'legacy') {
		const clientInfo = { name, version: '1' };
		await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
		peer.notify('notifications/initialized');
	}
	return {
		peer,
		notifications,
		lines,
		request,
		requestText: async (method, params) =>
			(await request(method, params, { keepsText: true })) as unknown as JsonText,
		call: async (name, input = {}, options = {}) => {
			const result = await request('tools/call', { name, arguments: input }, options);
			const [block] = result['content'] as { text: string }[];
			return block?.text ?? '';
		},
		failure: async (name, input = {}) => {
			try {
				await request('tools/call', { name, arguments: input });
			} catch (error) {
				const found = rpcErrorOf(error);
				if (found)
					return { code: found.code, message: found.message, data: found.data as Record<string, unknown> };
				throw error;
			}
			throw new Error(`the call of ${name} was answered`);
		},
		close: () => {
			session.close();
			server.cancelIncoming('the client is gone');
			void ours.close();
		},
	};
}

function eventsIn(file: string): { event: string; pid: number; at: number }[] {
	let text = '';
	try {
		text = readFileSync(file, 'utf8');
	} catch {
		return []; // no server was started
	}
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => {
			const [event = '', pid, at] = line.split(' ');
			return { event, pid: Number(pid), at: Number(at) };
		});
}
