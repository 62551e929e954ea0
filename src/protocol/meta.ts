/* Names of MCP: the `_meta` fields and how to read them, error codes, the parameter of a header. */
import { isObject } from '../wire/json.ts';
import { member } from '../wire/message-member.ts';
import type { MessageView } from '../wire/message-view.ts';

const PREFIX = 'io.modelcontextprotocol/';
export const PROTOCOL_VERSION: string = `${PREFIX}protocolVersion`;
export const CLIENT_CAPABILITIES: string = `${PREFIX}clientCapabilities`;
export const CLIENT_INFO: string = `${PREFIX}clientInfo`;
export const LOG_LEVEL: string = `${PREFIX}logLevel`;
export const SERVER_INFO: string = `${PREFIX}serverInfo`;
export const SUBSCRIPTION_ID: string = `${PREFIX}subscriptionId`;

/** The extension whose methods are `skills/*`. */
export const SKILLS: string = `${PREFIX}skills`;

/** The id of the hub that asks, in a list request; of the hub that answers, in its result. */
export const HUB_ID = 'orchestra/hub';
/** The ids of the hubs that a listed item came through. */
export const HUB_PATH = 'orchestra/hubs';
/** The key of a client request of the legacy era, where a server names it. */
export const INPUT_KEY = 'orchestra/inputKey';

/** The error codes that MCP adds to those of JSON-RPC. */
export const mcpCodes = {
	headerMismatch: -32020,
	missingClientCapability: -32021,
	unsupportedVersion: -32022,
} as const;

/** The parameter that the header `Mcp-Name` repeats, by method. */
export const nameParameters: Readonly<Record<string, string>> = {
	'tools/call': 'name',
	'prompts/get': 'name',
	'resources/read': 'uri',
	'tasks/get': 'taskId',
	'tasks/update': 'taskId',
	'tasks/cancel': 'taskId',
};

/** The error codes of older revisions. */
export const oldCodes = {
	/** Up to 2025-11-25; -32602 today. */
	resourceNotFound: -32002,
	/** Revision 2025-11-25 alone has this code. */
	urlElicitationRequired: -32042,
} as const;

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** `params._meta`, or an empty object. */
export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
	const meta = isObject(params) ? params['_meta'] : undefined;
	return isObject(meta) ? meta : nothing;
}

/** Whether the `_meta` of a request is that of a modern client. */
export function isModernMeta(meta: Readonly<Record<string, unknown>>): boolean {
	return meta[PROTOCOL_VERSION] !== undefined || meta[CLIENT_CAPABILITIES] !== undefined;
}

/** The same of a request that is not parsed. */
export function isModernView(view: MessageView): boolean {
	return view.has(member.protocolVersion) || view.has(member.clientCapabilities);
}
