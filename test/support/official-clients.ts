/* The official clients under one interface: both majors, every way of agreeing on a revision. */
import { Client as ClientV2, type Transport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
	ElicitRequestSchema,
	LoggingMessageNotificationSchema,
	ResourceUpdatedNotificationSchema,
	ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';

export const judgeModes = ['SDK v1', 'SDK v2 legacy', 'SDK v2 auto', 'SDK v2 pinned'] as const;
export type JudgeMode = (typeof judgeModes)[number];

export interface JudgeTransports {
	v1(): TransportV1;
	v2(): TransportV2;
}

/** How long a judge waits for a response, also on a busy machine. */
const CALL_MS = 20_000;
const info = { name: 'judge', version: '1.0.0' };
const capabilities = { elicitation: {} };
const answer = { action: 'accept' as const, content: { name: 'Ann' } };

export interface CallOptions {
	signal?: AbortSignal;
	onprogress?: (params: { progress: number }) => void;
}

/** A connected client. It is closed at the end of the test. */
export interface Judge {
	readonly version: string | undefined;
	/** The URIs of updated resources. */
	readonly updated: string[];
	readonly logged: unknown[];
	/** How many times the tools changed. */
	toolChanges(): number;
	toolNames(): Promise<string[]>;
	/** The text of the result. */
	call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<string>;
	readText(uri: string): Promise<string>;
	/** Subscribe to these resources, to changes of tools, and to logs. */
	subscribe(uris: string[]): Promise<void>;
}

export async function openJudge(mode: JudgeMode, transports: JudgeTransports): Promise<Judge> {
	return mode === 'SDK v1' ? openV1(transports.v1()) : openV2(mode, transports.v2());
}

async function openV1(transport: TransportV1): Promise<Judge> {
	const client = new ClientV1(info, { capabilities });
	const seen = { changes: 0, updated: [] as string[], logged: [] as unknown[] };
	client.setRequestHandler(ElicitRequestSchema, () => answer);
	client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen.changes++);
	client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
		seen.updated.push(params.uri);
	});
	client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
		seen.logged.push(params.data);
	});
	await client.connect(transport);
	onTestFinished(() => client.close());
	return {
		...views(seen),
		version: 'protocolVersion' in transport ? String(transport.protocolVersion) : undefined,
		toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
		call: async (name, input = {}, options = {}) =>
			textOf(await client.callTool({ name, arguments: input }, undefined, { timeout: CALL_MS, ...options })),
		readText: async (uri) => textOf({ content: (await client.readResource({ uri })).contents }),
		subscribe: async (uris) => {
			for (const uri of uris) await client.subscribeResource({ uri });
			await client.setLoggingLevel('info');
		},
	};
}

async function openV2(mode: Exclude<JudgeMode, 'SDK v1'>, transport: TransportV2): Promise<Judge> {
	const negotiation = {
		'SDK v2 legacy': 'legacy',
		'SDK v2 auto': 'auto',
		'SDK v2 pinned': { pin: '2026-07-28' },
	};
	const isLegacy = mode === 'SDK v2 legacy';
	const client = new ClientV2(info, {
		capabilities,
		versionNegotiation: { mode: negotiation[mode] as 'legacy' },
	});
	const seen = { changes: 0, updated: [] as string[], logged: [] as unknown[] };
	client.setRequestHandler('elicitation/create', () => answer);
	client.setNotificationHandler('notifications/tools/list_changed', () => void seen.changes++);
	client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
		seen.updated.push(params.uri);
	});
	client.setNotificationHandler('notifications/message', ({ params }) => void seen.logged.push(params.data));
	await client.connect(transport);
	onTestFinished(() => client.close());
	const level = isLegacy ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } };
	return {
		...views(seen),
		version: client.getNegotiatedProtocolVersion(),
		toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
		call: async (name, input = {}, options = {}) =>
			textOf(await client.callTool({ name, arguments: input, ...level }, { timeout: CALL_MS, ...options })),
		readText: async (uri) => textOf({ content: (await client.readResource({ uri })).contents }),
		subscribe: async (uris) => {
			if (!isLegacy)
				return void (await client.listen({ toolsListChanged: true, resourceSubscriptions: uris }));
			for (const uri of uris) await client.subscribeResource({ uri });
			await client.setLoggingLevel('info');
		},
	};
}

function views(seen: { changes: number; updated: string[]; logged: unknown[] }) {
	return { updated: seen.updated, logged: seen.logged, toolChanges: () => seen.changes };
}

/** Of a result of either major. */
function textOf(result: object): string {
	const { content } = result as { content?: unknown };
	return (content as { text?: string }[])[0]?.text ?? '';
}
