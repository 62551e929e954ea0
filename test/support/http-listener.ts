/* A listener over the kitchen sink, and a client that sends any request it likes. */
import { type IncomingMessage, request as openRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Authenticate, bearerToken } from '../../src/http/authenticate.ts';
import type { HttpLimits } from '../../src/http/http-limits.ts';
import { HttpListener } from '../../src/http/http-listener.ts';
import type { HttpRoute } from '../../src/http/http-route.ts';
import { Log } from '../../src/log.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import { sharedState } from '../../src/mcp/server/mcp-session.ts';
import type { Provider } from '../../src/mcp/server/provider.ts';
import { kitchenSink } from './mcp-server.ts';
import { type Fields, MODERN, modernMeta, type Wire } from './raw-client.ts';
import { deferred } from './waiting.ts';

export const TOKEN = 'a-token-for-tests';

export interface ListenerOptions {
	provider?: Provider;
	limits?: Partial<HttpLimits>;
	authenticate?: Authenticate;
	routes?: readonly HttpRoute[];
}

/** A listener that ends with the test. */
export async function openListener(options: ListenerOptions = {}): Promise<HttpListener> {
	const { provider = kitchenSink(), limits, authenticate = bearerToken(TOKEN), routes } = options;
	const served = { provider, shared: sharedState() };
	const listener = await HttpListener.open({
		address: { host: '127.0.0.1', port: 0 },
		authenticate,
		provider: (name) => (name === undefined ? served : undefined),
		limits,
		routes,
		log: Log.silent,
	});
	onTestFinished(() => listener.close());
	return listener;
}

/** The bytes of a request, for a raw socket. */
export function encodedRequest(url: string, { headers, body }: ReturnType<typeof modernRequest>): string {
	const json = JSON.stringify(body);
	const all = {
		Host: new URL(url).host,
		Authorization: `Bearer ${TOKEN}`,
		'Content-Type': 'application/json',
		'Content-Length': Buffer.byteLength(json),
		...headers,
	};
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
	return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
}

/** A raw connection. */
export function openSocket(url: string): Socket {
	const socket = connect(Number(new URL(url).port), '127.0.0.1');
	socket.on('error', () => {}); // a reset is the end that the tests wait for
	return socket;
}

export interface SendOptions {
	method?: string;
	headers?: Record<string, string>;
	body?: string | object;
	/** Undefined sends none. */
	token?: string | undefined;
}

/** One reply. */
export class HttpAnswer {
	readonly message: IncomingMessage;

	constructor(message: IncomingMessage) {
		this.message = message;
	}

	get status(): number {
		return this.message.statusCode ?? 0;
	}

	header(name: string): string | undefined {
		return this.message.headers[name] as string | undefined;
	}

	get isStream(): boolean {
		return this.header('content-type') === 'text/event-stream';
	}

	text(): Promise<string> {
		return text(this.message);
	}

	async json(): Promise<Wire> {
		return JSON.parse(await this.text());
	}

	/** Close the connection. */
	cut(): void {
		this.message.destroy();
	}

	/** The next events, until `count` messages came or the stream ended. */
	async events(count = Number.POSITIVE_INFINITY): Promise<SentEvent[]> {
		const found: SentEvent[] = [];
		for await (const event of this.#parse()) {
			found.push(event);
			if (found.filter(({ data }) => data !== '').length >= count) break;
		}
		return found;
	}

	/** The next messages. */
	async messages(count?: number): Promise<Wire[]> {
		const events = await this.events(count);
		return events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data));
	}

	#rest = '';

	async *#parse(): AsyncGenerator<SentEvent> {
		for (;;) {
			for (let end = this.#rest.indexOf('\n\n'); end !== -1; end = this.#rest.indexOf('\n\n')) {
				const block = this.#rest.slice(0, end);
				this.#rest = this.#rest.slice(end + 2);
				if (!block.startsWith(':')) yield eventOf(block);
			}
			const chunk = await nextChunk(this.message);
			if (chunk === undefined) return;
			this.#rest += chunk;
		}
	}
}

export interface SentEvent {
	id: string | undefined;
	retry: string | undefined;
	data: string;
}

/** Send one request; resolves when the headers of its reply are there. */
export function send(url: string, options: SendOptions = {}): Promise<HttpAnswer> {
	const { method = 'POST', headers = {}, body } = options;
	const token = 'token' in options ? options.token : TOKEN;
	const payload = typeof body === 'object' ? JSON.stringify(body) : body;
	return new Promise((resolve, reject) => {
		const request = openRequest(url, {
			method,
			agent: false,
			headers: {
				...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
				...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
				...headers,
			},
		});
		request.on('error', reject);
		request.on('response', (message) => resolve(new HttpAnswer(message)));
		request.end(payload);
	});
}

/** A modern request with the headers that it needs. */
export function modernRequest(
	method: string,
	params: Fields = {},
	{ capabilities = {}, id = 1, meta = {} }: { capabilities?: Fields; id?: unknown; meta?: Fields } = {},
): { headers: Record<string, string>; body: object } {
	const name = params['name'] ?? params['uri'];
	return {
		headers: {
			'MCP-Protocol-Version': MODERN,
			'Mcp-Method': method,
			...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
		},
		body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta(capabilities, meta) } },
	};
}

/** A legacy session of the raw client. */
export class HttpSession {
	readonly url: string;
	readonly id: string;
	readonly #token: string;
	#nextId = 100;

	constructor(url: string, id: string, token: string) {
		this.url = url;
		this.id = id;
		this.#token = token;
	}

	static async open(
		url: string,
		{
			version = '2025-11-25',
			capabilities = {},
			token = TOKEN,
		}: { version?: string; capabilities?: Fields; token?: string } = {},
	): Promise<HttpSession> {
		const clientInfo = { name: 'raw', version: '1' };
		const params = { protocolVersion: version, capabilities, clientInfo };
		const answer = await send(url, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params }, token });
		await answer.json();
		return new HttpSession(url, answer.header('mcp-session-id') ?? '', token);
	}

	request(method: string, params: Fields = {}, id: unknown = this.#nextId++): Promise<HttpAnswer> {
		return this.post({ jsonrpc: '2.0', id, method, params });
	}

	call(name: string, args: Fields = {}, id?: unknown): Promise<HttpAnswer> {
		return this.request('tools/call', { name, arguments: args, _meta: { progressToken: name } }, id);
	}

	post(body: object, headers: Record<string, string> = {}): Promise<HttpAnswer> {
		return send(this.url, { body, token: this.#token, headers: { 'Mcp-Session-Id': this.id, ...headers } });
	}

	get(headers: Record<string, string> = {}): Promise<HttpAnswer> {
		return send(this.url, {
			method: 'GET',
			token: this.#token,
			headers: { 'Mcp-Session-Id': this.id, ...headers },
		});
	}

	delete(): Promise<HttpAnswer> {
		return send(this.url, { method: 'DELETE', token: this.#token, headers: { 'Mcp-Session-Id': this.id } });
	}
}

/** A tool that reports progress, then runs until it is canceled. */
export function hangingProvider(): {
	provider: Provider;
	started: Promise<void>;
	canceled: Promise<void>;
} {
	const started = deferred();
	const canceled = deferred();
	const provider = provide({
		name: 'p',
		version: '1',
		tools: {
			hang: {
				run: (_input: unknown, context: CallContext) => {
					context.progress(1);
					context.signal.addEventListener('abort', () => canceled.resolve());
					started.resolve();
					return new Promise(() => {});
				},
			},
		},
	});
	return { provider, started: started.promise, canceled: canceled.promise };
}

function eventOf(block: string): SentEvent {
	const field = (name: string): string | undefined =>
		block
			.split('\n')
			.find((line) => line.startsWith(`${name}:`))
			?.slice(name.length + 1)
			.trim();
	return { id: field('id'), retry: field('retry'), data: field('data') ?? '' };
}

function nextChunk(message: IncomingMessage): Promise<string | undefined> {
	const chunk: Buffer | null = message.read();
	if (chunk) return Promise.resolve(chunk.toString('utf8'));
	if (message.readableEnded || message.destroyed) return Promise.resolve(undefined);
	return new Promise((resolve) => {
		const done = (): void => {
			for (const name of ['readable', 'end', 'close', 'error']) message.off(name, done);
			resolve(
				message.read()?.toString('utf8') ?? (message.readableEnded || message.destroyed ? undefined : ''),
			);
		};
		for (const name of ['readable', 'end', 'close', 'error']) message.on(name, done);
	});
}
