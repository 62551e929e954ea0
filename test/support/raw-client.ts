/*
 * A client that writes any line it likes to a server on two streams and checks
 * every message that comes back against the official schema of its revision.
 */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { Log } from '../../src/log.ts';
import { type ServeMcpOptions, serveProvider } from '../../src/mcp/define/serve.ts';
import type { Provider } from '../../src/mcp/server/provider.ts';
import { schemaFaults } from './mcp-schemas.ts';

export type Fields = Record<string, unknown>;

/** Whatever was parsed; the tests look into it freely. */
type Parsed = ReturnType<typeof JSON.parse>;

/** Any message. */
export interface Wire {
	id?: unknown;
	method?: string;
	[field: string]: Parsed;
}

export const MODERN = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';

/** `_meta` of a modern request. */
export function modernMeta(capabilities: Fields = {}, more: Fields = {}): Fields {
	return {
		[`${PREFIX}protocolVersion`]: MODERN,
		[`${PREFIX}clientCapabilities`]: capabilities,
		[`${PREFIX}clientInfo`]: { name: 'raw', version: '1' },
		...more,
	};
}

export class RawClient {
	readonly received: Wire[] = [];
	readonly input = new PassThrough();
	readonly output = new PassThrough();
	readonly served: Promise<void>;
	/** Answers the client requests of the server; undefined leaves them open. */
	onClientRequest: (request: Wire) => Fields | undefined = () => undefined;
	readonly #waiters = new Set<{ wants: (message: Wire) => boolean; resolve: (message: Wire) => void }>();
	readonly #asked = new Map<unknown, { method: string; version: string }>();
	readonly #versions = new Set<string>();
	#version = '2025-11-25';
	#nextId = 1;

	constructor(provider: Provider, options: ServeMcpOptions = {}) {
		const { input, output } = this;
		this.served = serveProvider(provider, { log: Log.silent, ...options, input, output });
		createInterface({ input: output }).on('line', (line) => this.#take(JSON.parse(line)));
	}

	/** A client with a legacy session. */
	static async legacy(
		provider: Provider,
		version = '2025-11-25',
		capabilities: Fields = {},
	): Promise<RawClient> {
		const client = new RawClient(provider);
		await client.initialize(version, capabilities);
		return client;
	}

	async initialize(version: string, capabilities: Fields = {}): Promise<Wire> {
		const clientInfo = { name: 'raw', version: '1' };
		const answer = await this.request('initialize', { protocolVersion: version, capabilities, clientInfo });
		this.#version = answer['result'].protocolVersion;
		this.#versions.add(this.#version);
		expect(schemaFaults(this.#version, 'InitializeResult', answer['result'])).toEqual([]);
		this.send({ method: 'notifications/initialized' });
		return answer;
	}

	write(text: string): void {
		this.input.write(text);
	}

	send(message: Wire): void {
		if (message.method !== undefined && message.id !== undefined) this.#note(message);
		this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	}

	/** Send a request as it is and wait for its answer. */
	request(method: string, params?: Fields, id: unknown = this.#nextId++): Promise<Wire> {
		const answer = this.next((message) => message.method === undefined && message.id === id);
		this.send({ id, method, ...(params === undefined ? {} : { params }) });
		return answer;
	}

	/** A modern request with all that it needs. */
	modern(method: string, params: Fields = {}, capabilities: Fields = {}, more: Fields = {}): Promise<Wire> {
		return this.request(method, { ...params, _meta: modernMeta(capabilities, more) });
	}

	/** The first message, of those to come, that fits. */
	next(wants: (message: Wire) => boolean): Promise<Wire> {
		return new Promise((resolve) => this.#waiters.add({ wants, resolve }));
	}

	/** What came with this method. */
	notices(method: string): Wire[] {
		return this.received.filter((message) => message.method === method);
	}

	/** End the input and wait until the server is done. */
	async end(): Promise<void> {
		this.input.end();
		await this.served;
	}

	#note({ id, method = '', params }: Wire): void {
		const version = params?._meta?.[`${PREFIX}protocolVersion`] === undefined ? this.#version : MODERN;
		this.#versions.add(version);
		this.#asked.set(id, { method, version });
	}

	#take(message: Wire): void {
		this.received.push(message);
		if (!Array.isArray(message)) this.#check(message);
		if (message.method !== undefined && message.id !== undefined) this.#answer(message);
		for (const waiter of this.#waiters) {
			if (!waiter.wants(message)) continue;
			this.#waiters.delete(waiter);
			waiter.resolve(message);
		}
	}

	#answer(request: Wire): void {
		const answer = this.onClientRequest(request);
		if (answer) this.send({ id: request.id, ...answer });
	}

	#check(message: Wire): void {
		const { id, method, result, error } = message;
		if (method !== undefined) {
			const kind = id === undefined ? 'ServerNotification' : 'ServerRequest';
			const versions = [...this.#versions].filter((version) => id === undefined || version !== MODERN);
			const faults = versions.map((version) => schemaFaults(version, kind, message));
			if (faults.every((some) => some.length > 0)) expect(faults.flat()).toEqual([]);
			return;
		}
		const asked = this.#asked.get(id);
		if (asked === undefined) return;
		const definition = error ? errorDefinition(asked.version, error.code) : resultDefinition(asked, result);
		expect(schemaFaults(asked.version, definition, error ? message : result)).toEqual([]);
	}
}

function errorDefinition(version: string, code: number): string {
	if (version === MODERN && code === -32021) return 'MissingRequiredClientCapabilityError';
	if (version === MODERN && code === -32022) return 'UnsupportedProtocolVersionError';
	return version >= '2025-11-25' ? 'JSONRPCErrorResponse' : 'JSONRPCError';
}

function resultDefinition({ method, version }: { method: string; version: string }, result: Fields): string {
	if (result['resultType'] === 'input_required') return 'InputRequiredResult';
	if (method === 'initialize') return 'Result';
	return results[method] ?? (version === MODERN ? 'Result' : 'EmptyResult');
}

const results: Record<string, string> = {
	'server/discover': 'DiscoverResult',
	'tools/list': 'ListToolsResult',
	'tools/call': 'CallToolResult',
	'prompts/list': 'ListPromptsResult',
	'prompts/get': 'GetPromptResult',
	'resources/list': 'ListResourcesResult',
	'resources/templates/list': 'ListResourceTemplatesResult',
	'resources/read': 'ReadResourceResult',
	'completion/complete': 'CompleteResult',
	'subscriptions/listen': 'SubscriptionsListenResult',
};
