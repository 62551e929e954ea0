/*
 * The headers of a modern request, derived from its body; a server refuses a request
 * whose headers and body differ.
 */
import { nameParameters } from '../../protocol/meta.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import type { ToolHeaders } from './tool-headers.ts';

/** The headers of a modern message: version, method, name, and the arguments that the tool wants as headers. */
export function modernHeaders(message: OutgoingMessage, tools: ToolHeaders): Record<string, string> {
	const { method, params, version = '' } = message;
	const headers: Record<string, string> = {
		'mcp-protocol-version': version,
		'mcp-method': headerValue(method),
	};
	const source = nameParameters[method];
	const name = source === undefined ? undefined : params[source];
	if (typeof name !== 'string') return headers;
	headers['mcp-name'] = headerValue(name);
	if (method !== 'tools/call') return headers;
	for (const { header, path } of tools.of(name)) {
		const value = argumentText(valueAt(params['arguments'], path));
		if (value !== undefined) headers[`mcp-param-${header}`] = headerValue(value);
	}
	return headers;
}

const BASE64 = { prefix: '=?base64?', suffix: '?=' } as const;

/** `text` as a header value: unchanged when it is plain ASCII, else in base64 between markers. */
export function headerValue(text: string): string {
	const isMarked = text.startsWith(BASE64.prefix) && text.endsWith(BASE64.suffix);
	if (/^[!-~](?:[\t -~]*[!-~])?$/.test(text) && !isMarked) return text;
	return `${BASE64.prefix}${Buffer.from(text, 'utf8').toString('base64')}${BASE64.suffix}`;
}

function argumentText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
	return undefined;
}

/** The value that these keys lead to; undefined when there is none. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
	let value = root;
	for (const key of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
		value = Reflect.get(value, key);
	}
	return value;
}
