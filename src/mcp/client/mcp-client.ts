/*
 * A client of one MCP server, with a method for each request of the protocol.
 *
 * The era of the server makes no difference to the caller: client requests of the server
 * go to the same handlers, changes and logs to the same listeners.
 */
import type { OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { Log } from '../../log.ts';
import type {
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	Implementation,
	McpLogLevel,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	Result,
	ServerCapabilities,
	Tool,
} from '../../protocol/mcp-types.ts';
import { LOG_LEVEL, metaOf } from '../../protocol/meta.ts';
import { Listeners } from '../../rpc/listeners.ts';
import type { Transport } from '../../transport/transport.ts';
import { isObject } from '../../wire/json.ts';
import type { Change } from '../server/provider.ts';
import { beforeDeadline } from './call-deadline.ts';
import {
	type CompletionQuery,
	isLogMessage,
	type McpCallOptions,
	type McpClientOptions,
	requestOptions,
	type ServerLogMessage,
} from './call-options.ts';
import { answerRequest, type ClientHandlers, capabilitiesOf } from './client-handlers.ts';
import { completeCall } from './input-rounds.ts';
import { OutputCheck } from './output-check.ts';
import { brokenProtocol } from './phase-error.ts';
import { type ConnectionDiagnosis, ServerConnection } from './server-connection.ts';

/** A client of one MCP server. The opener closes it. */
export class McpClient {
	readonly #connection: ServerConnection;
	readonly #handlers: ClientHandlers;
	readonly #events: ClientEvents;
	readonly #output: OutputCheck | undefined;
	#logLevel: McpLogLevel | undefined;

	/** Start a server and agree on a revision. `start` is called again once when the server exits on the probe. */
	static async open(
		start: (signal: AbortSignal) => Promise<Transport>,
		options: McpClientOptions = {},
	): Promise<McpClient> {
		const { clientInfo, capabilities, checksOutput = true, log = Log.silent } = options;
		const events: ClientEvents = {
			change: new Listeners(log),
			log: new Listeners(log),
			end: new Listeners(log),
			page: new Listeners(log),
		};
		const output = checksOutput ? new OutputCheck(log) : undefined;
		const connection = await ServerConnection.open(start, {
			...options,
			clientInfo: clientInfo ?? { name: 'orchestra', version: packageVersion() },
			capabilities: { ...capabilitiesOf(options), ...capabilities },
			onRequest: (method, params, call) => answerRequest(options, method, params, call.signal),
			onNotification: (method, params) => {
				if (method === 'notifications/message' && isLogMessage(params)) events.log.emit(params);
				const id = isObject(params) ? params['elicitationId'] : undefined;
				if (method === 'notifications/elicitation/complete' && typeof id === 'string') events.page.emit(id);
			},
			onChange: (change) => {
				if (change.kind === 'tools') output?.forget();
				events.change.emit(change);
			},
			onEnd: (reason) => events.end.emit(reason),
		});
		return new McpClient(connection, options, events, output);
	}

	private constructor(
		connection: ServerConnection,
		handlers: ClientHandlers,
		events: ClientEvents,
		output: OutputCheck | undefined,
	) {
		this.#connection = connection;
		this.#handlers = handlers;
		this.#events = events;
		this.#output = output;
	}

	/** `legacy`: the server was opened with `initialize`; `modern`: it is stateless. */
	get era(): 'legacy' | 'modern' {
		return this.#connection.era;
	}

	/** The protocol version, for example `2025-11-25`. */
	get revision(): string {
		return this.#connection.revision.version;
	}

	get serverInfo(): Implementation | undefined {
		return this.#connection.serverInfo;
	}

	get capabilities(): ServerCapabilities {
		return this.#connection.capabilities;
	}

	get instructions(): string | undefined {
		return this.#connection.instructions;
	}

	/** The process id of the server; undefined when it is no child process. */
	get pid(): number | undefined {
		return this.diagnose().process?.pid;
	}

	/** All tools. */
	async listTools(options: McpCallOptions = {}): Promise<{ tools: Tool[] }> {
		const { items: tools } = await this.#connection.listAll('tools', requestOptions(options));
		this.#output?.learn(tools);
		return { tools };
	}

	/** All prompts. */
	async listPrompts(options: McpCallOptions = {}): Promise<{ prompts: Prompt[] }> {
		return { prompts: (await this.#connection.listAll('prompts', requestOptions(options))).items };
	}

	/** All resources. */
	async listResources(options: McpCallOptions = {}): Promise<{ resources: Resource[] }> {
		return { resources: (await this.#connection.listAll('resources', requestOptions(options))).items };
	}

	/** All resource templates. */
	async listResourceTemplates(
		options: McpCallOptions = {},
	): Promise<{ resourceTemplates: ResourceTemplate[] }> {
		return {
			resourceTemplates: (await this.#connection.listAll('templates', requestOptions(options))).items,
		};
	}

	/** Call a tool. A failure of the tool is a result with `isError`; a rejection is a failure of the call. */
	async callTool(name: string, input: object = {}, options: McpCallOptions = {}): Promise<CallToolResult> {
		const result = await this.request('tools/call', { name, arguments: input }, options);
		await this.#output?.assertValid(name, result);
		assertArray(result, 'content', 'tools/call');
		return result as CallToolResult; // typed as the specification has it, and not checked further
	}

	/** Get a prompt with its arguments filled in. */
	async getPrompt(
		name: string,
		input: Readonly<Record<string, string>> = {},
		options: McpCallOptions = {},
	): Promise<GetPromptResult> {
		const result = await this.request('prompts/get', { name, arguments: input }, options);
		assertArray(result, 'messages', 'prompts/get');
		return result as GetPromptResult; // as above
	}

	/** Read a resource. */
	async readResource(uri: string, options: McpCallOptions = {}): Promise<ReadResourceResult> {
		const result = await this.request('resources/read', { uri }, options);
		assertArray(result, 'contents', 'resources/read');
		return result as ReadResourceResult; // as above
	}

	/** Values that complete an argument. */
	async complete(
		query: CompletionQuery,
		options: McpCallOptions = {},
	): Promise<CompleteResult['completion']> {
		const { completion } = await this.request('completion/complete', { ...query }, options);
		const found = isObject(completion) ? completion : {};
		assertArray(found, 'values', 'completion/complete');
		return found as CompleteResult['completion']; // as above
	}

	/** Check that the server answers. */
	async ping(options: McpCallOptions = {}): Promise<void> {
		await this.request(this.era === 'legacy' ? 'ping' : 'server/discover', {}, options);
	}

	/** Receive updates of a resource, as changes. */
	async subscribe(uri: string): Promise<void> {
		await this.#connection.subscribeResource(uri, true);
	}

	async unsubscribe(uri: string): Promise<void> {
		await this.#connection.subscribeResource(uri, false);
	}

	/** The lowest level of log messages. A modern server gets it with each request. */
	async setLogLevel(level: McpLogLevel): Promise<void> {
		this.#logLevel = level;
		if (this.era === 'legacy') await this.request('logging/setLevel', { level });
	}

	/** Call any method. Client requests of the server go to the handlers. */
	async request(method: string, params: Result = {}, options: McpCallOptions = {}): Promise<Result> {
		if (this.era === 'legacy') return this.#connection.request(method, params, requestOptions(options));
		return beforeDeadline(method, options, (signal, left) => {
			const call = { ...requestOptions(options), signal };
			return completeCall({
				method,
				params: this.#withLogLevel(params, options),
				request: (sent) => this.#connection.request(method, sent, { ...call, ...left() }),
				answer: (request, params, signal) => answerRequest(this.#handlers, request, params, signal),
				signal,
			});
		});
	}

	/** Send a notification. Throws when the connection has ended. */
	notify(method: string, params?: Result): void {
		this.#connection.notify(method, params);
	}

	/** Receive list changes and resource updates. Returns the function that removes the listener. */
	onChange(listener: (change: Change) => void): () => void {
		return this.#events.change.add(listener);
	}

	/** Receive log messages that belong to no call with `onLog`. Returns the function that removes the listener. */
	onLog(listener: (message: ServerLogMessage) => void): () => void {
		return this.#events.log.add(listener);
	}

	/** Receive the `elicitationId` of a page that the user is done with. Returns the function that removes the listener. */
	onElicitationComplete(listener: (elicitationId: string) => void): () => void {
		return this.#events.page.add(listener);
	}

	/** Receive the reason when the connection ends by itself. Returns the function that removes the listener. */
	onEnd(listener: (reason: OrchestraError) => void): () => void {
		return this.#events.end.add(listener);
	}

	/** The state of the connection and of the program behind it. */
	diagnose(): ConnectionDiagnosis {
		return this.#connection.diagnose();
	}

	/** End the connection and stop the server. Idempotent; resolves when the process is gone. */
	close(): Promise<void> {
		return this.#connection.close();
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	/** A modern server sends log messages only for a request with a level. */
	#withLogLevel(params: Result, { onLog }: McpCallOptions): Result {
		const level = this.#logLevel ?? (onLog ? 'info' : undefined);
		if (level === undefined) return params;
		return { ...params, _meta: { [LOG_LEVEL]: level, ...metaOf(params) } };
	}
}

interface ClientEvents {
	readonly change: Listeners<Change>;
	readonly log: Listeners<ServerLogMessage>;
	readonly end: Listeners<OrchestraError>;
	readonly page: Listeners<string>;
}

/** Throws when a result lacks the array that every result of its method has. */
function assertArray(result: Result, field: string, method: string): void {
	if (Array.isArray(result[field])) return;
	throw brokenProtocol(`the result of ${method} has no "${field}"`, { phase: 'call' });
}
