/* A remote MCP server by hand that counts its calls and fails as a test says. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
	beginEvents,
	event,
	type RawServer,
	type Received,
	result,
	sendJson,
	serveRaw,
} from './http-server.ts';
import { nextTurn } from './waiting.ts';

/** Answers a call itself: true when it did. */
export type Fault = (call: Received, response: ServerResponse) => boolean;

export interface FaultyRemote extends RawServer {
	/** The requests `tools/call` that arrived, whatever became of them. */
	readonly calls: Received[];
	/** How many calls it answered with a result. */
	readonly ran: number;
	/** How many handshakes there were. */
	readonly sessions: number;
	/** Set the fault of everything that follows; none when undefined. */
	fault(next: Fault | undefined): void;
	/** Start it again at the same port, with nothing remembered, after `stop`. */
	again(): Promise<FaultyRemote>;
}

export interface FaultyOptions {
	port?: number;
	/** A modern server has no sessions. */
	era?: 'legacy' | 'modern';
	fault?: Fault;
}

const TURNS = 5;
const tools = ['write', 'slow'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const read = { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const about = { capabilities: { tools: {} }, serverInfo: { name: 'faulty', version: '1' } };

/** Its tools: `write`, `slow`, and `read`, which may be repeated. */
export async function serveFaulty(options: FaultyOptions = {}): Promise<FaultyRemote> {
	const { era = 'legacy' } = options;
	const calls: Received[] = [];
	const sessions = new Set<string>();
	let fault = options.fault;
	let ran = 0;
	const raw = await serveRaw((request, response) => {
		const { message, method } = request;
		if (message.method === 'tools/call') calls.push(request);
		if (fault?.(request, response)) return;
		if (method !== 'POST') return void response.writeHead(405).end();
		if (message.id === undefined) return void response.writeHead(202).end();
		const answer = (value: unknown, headers = {}): void =>
			sendJson(response, result(message.id, value), 200, headers);
		if (message.method === 'server/discover' && era === 'modern')
			return answer({ ...about, supportedVersions: ['2026-07-28'], resultType: 'complete' });
		if (message.method === 'initialize' && era === 'legacy') {
			const id = randomUUID();
			sessions.add(id);
			return answer({ ...about, protocolVersion: '2025-11-25' }, { 'mcp-session-id': id });
		}
		const isKnown = era === 'modern' || sessions.has(String(request.headers['mcp-session-id']));
		if (!isKnown) return void response.writeHead(404).end('Session not found');
		if (message.method === 'tools/list') return answer({ tools: [...tools, read], resultType: 'complete' });
		if (message.method !== 'tools/call') return answer({});
		answer({ content: [{ type: 'text', text: `call ${++ran}` }], resultType: 'complete' });
	}, options.port);
	return {
		...raw,
		calls,
		get ran() {
			return ran;
		},
		get sessions() {
			return sessions.size;
		},
		fault: (next) => {
			fault = next;
		},
		stop: async () => {
			await raw.stop();
			// A client in the same process reads the end of its connections in the next turns.
			for (let turn = 0; turn < TURNS; turn++) await nextTurn();
		},
		again: () => serveFaulty({ ...options, port: raw.port }),
	};
}

/** Refuse calls with a status. */
export function status(code: number, headers: Record<string, string> = {}, body = ''): Fault {
	return ({ message }, response) => {
		if (message.method !== 'tools/call') return false;
		response.writeHead(code, headers).end(body);
		return true;
	};
}

/** Do this with each call. */
export function onCall(act: (response: ServerResponse, call: Received) => void): Fault {
	return (call, response) => {
		if (call.message.method !== 'tools/call') return false;
		act(response, call);
		return true;
	};
}

/** Begin a stream with progress, then break the connection. */
export const cutStream: Fault = onCall((response) => {
	beginEvents(response);
	response.write(
		event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }),
	);
	setImmediate(() => response.destroy());
});
