/*
 * The headers of a modern request must repeat what its body says, so that a proxy can
 * route by them. A request whose headers contradict its body is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
	CLIENT_CAPABILITIES,
	mcpCodes,
	metaOf,
	nameParameters,
	PROTOCOL_VERSION,
} from '../../protocol/meta.ts';
import { isObject } from '../../wire/json.ts';
import { type RpcErrorObject, type RpcRequest, rpcCodes } from '../../wire/json-rpc.ts';
import { member } from '../../wire/message-member.ts';
import type { MessageView } from '../../wire/message-view.ts';
import { HEADER_SHOWN_CHARACTERS } from '../http-limits.ts';

/** The error for headers that do not repeat the body; undefined when they do. */
export function headerMismatch(
	headers: IncomingHttpHeaders,
	{ method, params }: RpcRequest,
): RpcErrorObject | undefined {
	const version = metaOf(params)[PROTOCOL_VERSION];
	const wrong = mismatch('MCP-Protocol-Version', headers['mcp-protocol-version'], version);
	if (wrong) return wrong;
	return mismatch('Mcp-Method', headers['mcp-method'], method) ?? nameMismatch(headers, method, params);
}

/** Whether the headers of a call of a tool repeat the text of its body. False also where that needs its values. */
export function repeatsView(headers: IncomingHttpHeaders, view: MessageView): boolean {
	const { 'mcp-method': method, 'mcp-name': name, 'mcp-protocol-version': version } = headers;
	return (
		method === 'tools/call' &&
		view.is(member.protocolVersion, `"${String(version)}"`) &&
		view.is(member.name, `"${String(name)}"`)
	);
}

/** The header `name`, which must be there and say `value`. */
export function mismatch(name: string, header: unknown, value: unknown): RpcErrorObject | undefined {
	if (typeof header !== 'string')
		return refused(`the header ${name} is missing; the body says ${shown(value)}`);
	const given = decodeHeader(header);
	if (given === undefined) return refused(`the header ${name} is not valid base64`);
	if (isSame(given, value)) return undefined;
	return refused(`the header ${name} is ${shown(given)}; the body says ${shown(value)}`);
}

/** True when `_meta` lacks a required field. */
export function isMetaIncomplete(params: unknown): boolean {
	const meta = metaOf(params);
	return typeof meta[PROTOCOL_VERSION] !== 'string' || !isObject(meta[CLIENT_CAPABILITIES]);
}

/** The HTTP status of a modern error. */
export function httpStatusOf(code: number, params: unknown): number {
	if (code === rpcCodes.methodNotFound) return 404;
	if (code === mcpCodes.missingClientCapability || code === mcpCodes.unsupportedVersion) return 400;
	return code === rpcCodes.invalidParams && isMetaIncomplete(params) ? 400 : 200;
}

function nameMismatch(
	headers: IncomingHttpHeaders,
	method: string,
	params: unknown,
): RpcErrorObject | undefined {
	const parameter = Object.hasOwn(nameParameters, method) ? nameParameters[method] : undefined;
	if (parameter === undefined) return undefined;
	const value = isObject(params) ? params[parameter] : undefined;
	const header = headers['mcp-name'];
	// A body without the parameter is an error of its own.
	if (value === undefined && header === undefined) return undefined;
	return mismatch('Mcp-Name', header, value);
}

/** A value that is no plain ASCII text is written `=?base64?…?=`. Undefined when that is malformed. */
function decodeHeader(header: string): string | undefined {
	const text = header.trim();
	const [, encoded] = /^=\?base64\?(.*)\?=$/i.exec(text) ?? [];
	if (encoded === undefined) return text;
	const bytes = Buffer.from(encoded, 'base64');
	return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

function isSame(given: string, value: unknown): boolean {
	if (typeof value === 'number') return given !== '' && Number(given) === value;
	return given === (typeof value === 'boolean' ? String(value) : value);
}

function refused(message: string): RpcErrorObject {
	return { code: mcpCodes.headerMismatch, message };
}

function shown(value: unknown): string {
	return (JSON.stringify(value) ?? 'nothing').slice(0, HEADER_SHOWN_CHARACTERS);
}
