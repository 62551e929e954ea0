/*
 * Servers of the official SDK over HTTP with everything that a client can see, in both
 * majors and both eras. They run in the test, which watches and controls them.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import {
	acceptedContent,
	createMcpHandler,
	inputRequired,
	McpServer as McpServerV2,
	WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { bridge, listen } from './sdk-http.ts';
import { deferred } from './waiting.ts';

export interface RemoteMcpServer {
	readonly url: string;
	/** The resource that can be subscribed to. */
	readonly note: string;
	/** How often the tool `echo` ran. */
	readonly echoed: number;
	/** What happened to the last call of `hang`. */
	readonly hanging: 'none' | 'begun' | 'canceled';
	/** Let the call of `steps` end. */
	finishSteps(): void;
	/** Offer one more tool, and notify clients. Returns its name. */
	addTool(): string;
	updateNote(): void;
}

export type RemoteKind = 'v1' | 'v1-sse' | 'v2-legacy' | 'v2-modern';

/** Serve it. It ends with the test. */
export async function serveRemote(kind: RemoteKind): Promise<RemoteMcpServer> {
	const state = new RemoteState(`note://${kind}`);
	const url = await openers[kind](state);
	return {
		url,
		note: state.note,
		get echoed() {
			return state.echoed;
		},
		get hanging() {
			return state.hanging;
		},
		finishSteps: () => state.steps.resolve(),
		addTool: () => {
			const name = `extra-${state.extras.length}`;
			state.extras.push(name);
			for (const add of state.onTools) add(name);
			return name;
		},
		updateNote: () => {
			for (const notify of state.onNote) notify();
		},
	};
}

class RemoteState {
	readonly note: string;
	echoed = 0;
	hanging: RemoteMcpServer['hanging'] = 'none';
	steps = deferred();
	/** Tools that were added while it runs. */
	readonly extras: string[] = [];
	readonly onTools = new Set<(name: string) => void>();
	readonly onNote = new Set<() => void>();

	constructor(note: string) {
		this.note = note;
	}

	hang(signal: AbortSignal): Promise<never> {
		this.hanging = 'begun';
		return new Promise((_resolve, reject) =>
			signal.addEventListener('abort', () => {
				this.hanging = 'canceled';
				reject(new Error('canceled'));
			}),
		);
	}

	async step(report: (progress: number) => Promise<void>): Promise<ReturnType<typeof text>> {
		this.steps = deferred();
		for (const progress of [1, 2]) await report(progress);
		await this.steps.promise;
		return text('done');
	}
}

const openers: Record<RemoteKind, (state: RemoteState) => Promise<string>> = {
	v1: openV1,
	'v1-sse': openSse,
	'v2-legacy': openV2Legacy,
	'v2-modern': openV2Modern,
};

function openV1(state: RemoteState): Promise<string> {
	const sessions = new Map<string, StreamableHTTPServerTransport>();
	return listen(async (request, response) => {
		const known = sessionOf(sessions, request, response);
		if (known === null) return;
		if (known) return known.handleRequest(request, response);
		const transport = new StreamableHTTPServerTransport({
			sessionIdGenerator: () => randomUUID(),
			onsessioninitialized: (id) => void sessions.set(id, transport),
		});
		await serverV1(state).connect(transport);
		await transport.handleRequest(request, response);
	});
}

function openSse(state: RemoteState): Promise<string> {
	const streams = new Map<string, SSEServerTransport>();
	return listen(async (request, response) => {
		if (request.method === 'GET') {
			const transport = new SSEServerTransport('/messages', response);
			streams.set(transport.sessionId, transport);
			return serverV1(state).connect(transport);
		}
		const id = new URL(request.url ?? '', 'http://host').searchParams.get('sessionId') ?? '';
		const stream = streams.get(id);
		if (stream) return stream.handlePostMessage(request, response);
		response.writeHead(404).end(`Cannot POST ${request.url}`);
	});
}

function openV2Legacy(state: RemoteState): Promise<string> {
	const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
	return listen(async (request, response) => {
		const known = sessionOf(sessions, request, response);
		if (known === null) return;
		const transport =
			known ??
			new WebStandardStreamableHTTPServerTransport({
				sessionIdGenerator: () => randomUUID(),
				onsessioninitialized: (id) => void sessions.set(id, transport),
			});
		if (!known) {
			const server = serverV2(state);
			state.onTools.add((name) => server.registerTool(name, {}, () => text(name)));
			server.server.setRequestHandler('resources/subscribe', () => {
				state.onNote.add(() => void server.server.sendResourceUpdated({ uri: state.note }));
				return {};
			});
			await server.connect(transport);
		}
		await bridge({ fetch: (input) => transport.handleRequest(input) }, request, response);
	});
}

function openV2Modern(state: RemoteState): Promise<string> {
	const handler = createMcpHandler(() => serverV2(state), { legacy: 'reject' });
	state.onTools.add(() => handler.notify.toolsChanged());
	state.onNote.add(() => handler.notify.resourceUpdated(state.note));
	return listen((request, response) => bridge(handler, request, response));
}

/** Null when the session is unknown, which was answered. */
function sessionOf<T>(
	sessions: ReadonlyMap<string, T>,
	request: IncomingMessage,
	response: ServerResponse,
): T | undefined | null {
	const id = request.headers['mcp-session-id'];
	if (id === undefined) return undefined;
	const known = sessions.get(String(id));
	if (known === undefined) response.writeHead(404).end('Session not found');
	return known ?? null;
}

const text = (said: string): { content: { type: 'text'; text: string }[] } => ({
	content: [{ type: 'text', text: said }],
});

const capabilities = {
	tools: { listChanged: true },
	resources: { subscribe: true, listChanged: true },
	logging: {},
};

const question = {
	message: 'Who are you?',
	requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};

function serverV1(state: RemoteState): McpServerV1 {
	const server = new McpServerV1({ name: 'remote-v1', version: '1.2.3' }, { capabilities });
	server.registerTool('echo', { inputSchema: { text: z.string() } }, (input) => {
		state.echoed++;
		return text(input.text);
	});
	server.registerTool('greet', { inputSchema: {} }, async (_input, extra) => {
		const answer = z.object({ content: z.object({ name: z.string() }) });
		const { content } = await extra.sendRequest({ method: 'elicitation/create', params: question }, answer);
		return text(`Hello, ${content.name}!`);
	});
	server.registerTool('steps', { inputSchema: {} }, (_input, extra) =>
		state.step((progress) => {
			const progressToken = extra._meta?.progressToken ?? 0;
			return extra.sendNotification({
				method: 'notifications/progress',
				params: { progressToken, progress, total: 2 },
			});
		}),
	);
	server.registerTool('hang', { inputSchema: {} }, (_input, extra) => state.hang(extra.signal));
	server.registerTool('chat', { inputSchema: {} }, async (_input, extra) => {
		const params = { level: 'error' as const, data: 'trouble' };
		await extra.sendNotification({ method: 'notifications/message', params });
		return text('logged');
	});
	server.registerResource('note', state.note, {}, (uri) => ({
		contents: [{ uri: uri.href, text: 'a note' }],
	}));
	// It sends the notification itself.
	state.onTools.add((name) => server.registerTool(name, {}, () => text(name)));
	const notify = (): void => void server.server.sendResourceUpdated({ uri: state.note });
	server.server.setRequestHandler(SubscribeRequestSchema, () => {
		state.onNote.add(notify);
		return {};
	});
	server.server.setRequestHandler(UnsubscribeRequestSchema, () => {
		state.onNote.delete(notify);
		return {};
	});
	return server;
}

function serverV2(state: RemoteState): McpServerV2 {
	const server = new McpServerV2({ name: 'remote-v2', version: '1.2.3' }, { capabilities });
	const none = z.object({});
	server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (input) => {
		state.echoed++;
		return text(input.text);
	});
	server.registerTool('greet', { inputSchema: none }, (_input, { mcpReq }) => {
		const answer = acceptedContent(mcpReq.inputResponses, 'who', z.object({ name: z.string() }));
		if (answer) return text(`Hello, ${answer.name}!`);
		return inputRequired({ inputRequests: { who: inputRequired.elicit(question) } });
	});
	server.registerTool('steps', { inputSchema: none }, (_input, { mcpReq }) =>
		state.step((progress) => {
			const progressToken = mcpReq._meta?.progressToken ?? 0;
			return mcpReq.notify({
				method: 'notifications/progress',
				params: { progressToken, progress, total: 2 },
			});
		}),
	);
	server.registerTool('hang', { inputSchema: none }, (_input, { mcpReq }) => state.hang(mcpReq.signal));
	server.registerTool('chat', { inputSchema: none }, async (_input, { mcpReq }) => {
		await mcpReq.log('error', 'trouble');
		return text('logged');
	});
	for (const name of state.extras) server.registerTool(name, {}, () => text(name));
	server.registerResource('note', state.note, {}, (uri) => ({
		contents: [{ uri: uri.href, text: 'a note' }],
	}));
	return server;
}
