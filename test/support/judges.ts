/* The official clients of every mode, behind one interface, for the interop tests. */
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
	CreateMessageRequestSchema,
	ElicitRequestSchema,
	ListRootsRequestSchema,
	LoggingMessageNotificationSchema,
	ResourceUpdatedNotificationSchema,
	ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

export interface Judge {
	readonly client: Pick<
		ClientV2,
		| 'listTools'
		| 'callTool'
		| 'listResources'
		| 'listResourceTemplates'
		| 'readResource'
		| 'listPrompts'
		| 'getPrompt'
		| 'complete'
		| 'close'
	>;
	/** What it received: `log <data>`, `tools`, `updated <uri>`. */
	readonly heard: string[];
	/** `_meta` of its calls: a modern client asks for logs with each request. */
	readonly meta: Record<string, unknown>;
	subscribe(uri: string): Promise<unknown>;
}

/** The program that the client starts. */
export interface JudgedProgram {
	readonly command: string;
	readonly args: string[];
	readonly cwd: string;
	readonly env: Record<string, string>;
	readonly stderr: 'ignore' | 'inherit';
}

const info = { name: 'judge', version: '1.0.0' };
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const answer = { action: 'accept' as const, content: { name: 'Ann' } };
const sampled = {
	model: 'none',
	role: 'assistant' as const,
	content: { type: 'text' as const, text: 'Hello from the model' },
};
const roots = { roots: [{ uri: 'file:///project', name: 'project' }] };

/** Every client, by its name. */
export const judges: Readonly<Record<string, (program: JudgedProgram) => Promise<Judge>>> = {
	'SDK v1': openV1,
	'SDK v2, legacy': (program) => openV2(program, 'legacy'),
	'SDK v2, auto': (program) => openV2(program, 'auto'),
	'SDK v2, pinned to 2026-07-28': (program) => openV2(program, { pin: '2026-07-28' }),
};

async function openV1(program: JudgedProgram): Promise<Judge> {
	const client = new ClientV1(info, { capabilities });
	const heard: string[] = [];
	client.setRequestHandler(ElicitRequestSchema, () => answer);
	client.setRequestHandler(CreateMessageRequestSchema, () => sampled);
	client.setRequestHandler(ListRootsRequestSchema, () => roots);
	client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
		heard.push(`log ${String(params.data)}`);
	});
	client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
		heard.push('tools');
	});
	client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
		heard.push(`updated ${params.uri}`);
	});
	await client.connect(new TransportV1(program));
	await client.setLoggingLevel('debug');
	// The two majors name the same methods alike; the older one has one more parameter here.
	const judged = client as unknown as Judge['client'];
	judged.callTool = ((params, options) =>
		ClientV1.prototype.callTool.call(client, params, undefined, options)) as Judge['client']['callTool'];
	return {
		client: judged,
		heard,
		meta: {},
		subscribe: (uri) => client.subscribeResource({ uri }),
	};
}

async function openV2(
	program: JudgedProgram,
	mode: 'legacy' | 'auto' | { pin: '2026-07-28' },
): Promise<Judge> {
	const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
	const heard: string[] = [];
	client.setRequestHandler('elicitation/create', () => answer);
	client.setRequestHandler('sampling/createMessage', () => sampled);
	client.setRequestHandler('roots/list', () => roots);
	client.setNotificationHandler('notifications/message', ({ params }) => {
		heard.push(`log ${String(params.data)}`);
	});
	client.setNotificationHandler('notifications/tools/list_changed', () => {
		heard.push('tools');
	});
	client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
		heard.push(`updated ${params.uri}`);
	});
	await client.connect(new TransportV2(program));
	const isLegacy = mode === 'legacy';
	if (isLegacy) await client.setLoggingLevel('debug');
	else await client.listen({ toolsListChanged: true });
	return {
		client,
		heard,
		meta: isLegacy ? {} : { 'io.modelcontextprotocol/logLevel': 'debug' },
		subscribe: (uri) =>
			isLegacy ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }),
	};
}
