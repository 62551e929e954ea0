/*
 * The connection of one command to the tools that it names: the hub of this folder, or
 * a server that is started or reached directly.
 */
import { packageVersion } from '../../files/package-version.ts';
import type { McpClient } from '../../mcp/client/mcp-client.ts';
import type { ElicitResult } from '../../protocol/client-methods.ts';
import type { RequestOptions } from '../../rpc/calls/outgoing-calls.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';
import { type ListedItem, listAll } from '../hub-client/hub-items.ts';
import { type HubSession, withHub } from '../hub-client/with-hub.ts';
import type { CallTarget } from './call-target.ts';

export interface CallSession {
	/** All tools; `name` is waited for when what starts may have it. */
	listTools(name: string | undefined): Promise<readonly ListedItem[]>;
	list(kind: 'prompts' | 'resources'): Promise<readonly ListedItem[]>;
	/** Start a server of the configuration that lists nothing. Rejects with the reason when it cannot be used. */
	start(server: string): Promise<void>;
	/** Why plugins and servers that may have what is not listed are down. */
	downReasons(): Promise<string[]>;
	callTool(name: string, values: object, options: CallOptions): Promise<ListedItem>;
}

/** `maxTotalMs` is that of `--timeout`; without it the hub or the server's settings bound the call. */
type CallOptions = Pick<RequestOptions, 'signal' | 'onProgress' | 'maxTotalMs'>;

export interface CallHandlers {
	readonly onElicitation: (params: unknown) => Promise<ElicitResult>;
	/** Params of `notifications/message`. */
	readonly onLog: (params: unknown) => void;
}

/** The handlers of a session that calls nothing. */
export const silent: CallHandlers = { onElicitation: async () => ({ action: 'decline' }), onLog: () => {} };

type SessionInput = Pick<CommandInput, 'cwd' | 'environment' | 'out' | 'signal'>;

/** Do `work` with the tools at the address of a target, or with those of the hub of this folder. */
export function withTools<T>(
	target: Pick<CallTarget, 'address' | 'clientServer' | 'needs'>,
	input: SessionInput,
	handlers: CallHandlers,
	work: (session: CallSession) => Promise<T>,
): Promise<T> {
	const { address, needs } = target;
	if (address !== undefined) return withServerTools(target, input, handlers, work);
	const onNotification = (method: string, params: unknown): void => {
		if (method === 'notifications/message') handlers.onLog(params);
	};
	const { onElicitation } = handlers;
	const options = { listWaitMs: COMMAND_START_WAIT_MS, needs, onElicitation, onNotification };
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
	{ address = '', clientServer }: Pick<CallTarget, 'address' | 'clientServer'>,
	input: SessionInput,
	{ onElicitation, onLog }: CallHandlers,
	work: (session: CallSession) => Promise<T>,
): Promise<T> {
	const { signal } = input;
	const { connectEndpoint } = await import('./open-endpoint.ts');
	// Its sign-in is named as the user names it.
	const named =
		clientServer?.kind === 'stdio' ? clientServer : clientServer && { ...clientServer, name: address };
	const client = await connectEndpoint(named ?? address, input, {
		clientInfo: { name: 'mctl', version: packageVersion() },
		elicit: onElicitation,
		// The server has checked its result; what it is shall be shown.
		checksOutput: false,
		signal,
		startMs: clientServer?.settings.startMs,
	});
	client.onLog(onLog);
	try {
		return await work(serverTools(client, signal));
	} finally {
		await client.close();
	}
}

function serverTools(client: McpClient, signal: AbortSignal): CallSession {
	return {
		listTools: async () => (await client.listTools({ signal })).tools,
		start: async () => {}, // it runs
		downReasons: async () => [],
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
		start: (server) => session.start(server),
		downReasons: () => session.downReasons(),
		callTool: (name, values, options) =>
			session.request(
				'tools/call',
				{ name, arguments: values },
				{ ...options, timeoutMs: Number.POSITIVE_INFINITY },
			),
	};
}
