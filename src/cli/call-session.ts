/*
 * The connection of one command to the tools that it names: the hub of this folder, or
 * a server that is started or reached directly.
 */
import { packageVersion } from '../files/package-version.ts';
import type { McpClientOptions } from '../mcp/client/call-options.ts';
import type { McpClient } from '../mcp/client/mcp-client.ts';
import type { ElicitResult } from '../protocol/client-methods.ts';
import type { RequestOptions } from '../rpc/outgoing-calls.ts';
import { isObject } from '../wire/json.ts';
import type { CallTarget } from './call-target.ts';
import type { CommandInput } from './command.ts';
import { listAll, type Offered } from './hub-offers.ts';
import { type HubSession, START_WAIT_MS, withHub } from './hub-session.ts';

export interface CallSession {
	/** All tools; `name` is waited for when what starts may have it. */
	listTools(name: string | undefined): Promise<Offered[]>;
	list(kind: 'prompts' | 'resources'): Promise<Offered[]>;
	callTool(name: string, values: object, options: CallOptions): Promise<Offered>;
}

/** `maxTotalMs` is that of `--timeout`; without it the hub or the server's settings bound the call. */
type CallOptions = Pick<RequestOptions, 'signal' | 'onProgress' | 'maxTotalMs'>;

export interface CallHandlers {
	readonly onQuestion: (params: unknown) => Promise<ElicitResult>;
	/** Params of `notifications/message`. */
	readonly onLog: (params: unknown) => void;
}

/** Do `work` with the tools at the address of a target, or with those of the hub of this folder. */
export function withTools<T>(
	{ address, needs }: Pick<CallTarget, 'address' | 'needs'>,
	input: Pick<CommandInput, 'environment' | 'signal'>,
	handlers: CallHandlers,
	work: (session: CallSession) => Promise<T>,
): Promise<T> {
	if (address !== undefined) return withServerTools(address, input, handlers, work);
	const onNotification = (method: string, params: unknown): void => {
		if (method === 'notifications/message') handlers.onLog(params);
	};
	const { onQuestion } = handlers;
	const options = { listWaitMs: START_WAIT_MS, needs, onQuestion, onNotification };
	return withHub(
		input,
		async (session) => {
			await session.request('logging/setLevel', { level: 'info' });
			return work(hubTools(session));
		},
		options,
	);
}

/** Do `work` with a session of a server that is started, or connected to, for this command. */
async function withServerTools<T>(
	address: string,
	{ environment, signal }: Pick<CommandInput, 'environment' | 'signal'>,
	{ onQuestion, onLog }: CallHandlers,
	work: (session: CallSession) => Promise<T>,
): Promise<T> {
	const options = {
		clientInfo: { name: 'mctl', version: packageVersion() },
		elicit: onQuestion,
		// The server has checked its result; what it is shall be shown.
		checksOutput: false,
		signal,
	};
	const client = await connect(address, environment, options);
	client.onLog(onLog);
	try {
		return await work(serverTools(client, signal));
	} finally {
		await client.close();
	}
}

/** A `stdio:` URI or a URL. */
async function connect(
	address: string,
	environment: CommandInput['environment'],
	options: McpClientOptions,
): Promise<McpClient> {
	if (!address.startsWith('stdio:'))
		return (await import('./connect-url.ts')).connectUrl(address, environment, options);
	const { connectServer } = await import('../mcp/client/connect-server.ts');
	return connectServer(address, { ...options, parentEnvironment: environment });
}

function serverTools(client: McpClient, signal: AbortSignal): CallSession {
	return {
		listTools: async () => (await client.listTools({ signal })).tools,
		list: async (kind) =>
			kind === 'prompts'
				? (await client.listPrompts({ signal })).prompts
				: (await client.listResources({ signal })).resources,
		callTool: (name, values, { onProgress, maxTotalMs }) => {
			const timeoutMs = maxTotalMs === undefined ? undefined : Number.POSITIVE_INFINITY;
			return client.callTool(name, values, { signal, onProgress, timeoutMs, maxMs: maxTotalMs });
		},
	};
}

function hubTools(session: HubSession): CallSession {
	return {
		async listTools(name) {
			if (name !== undefined) await session.find(name);
			return listAll(session, 'tools');
		},
		list: (kind) => listAll(session, kind),
		async callTool(name, values, options) {
			const params = { name, arguments: values };
			const result = await session.request('tools/call', params, {
				...options,
				timeoutMs: Number.POSITIVE_INFINITY,
			});
			return isObject(result) ? result : {};
		},
	};
}
