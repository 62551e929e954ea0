/*
 * The one tool that every subject serves, and how a request about it is answered
 * in the two dialects: plain results after `initialize`, and results with
 * `resultType` and `_meta` when the request carries its own protocol version.
 * Subjects that have no MCP layer of their own share it, so that they differ in
 * nothing but the way the bytes travel.
 */

export const info = { name: 'echo', version: '1.0.0' };
export const MODERN = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const capabilities = { tools: {} };
const meta = { 'io.modelcontextprotocol/serverInfo': info };

export const tool = {
	name: 'echo',
	description: 'Give back the text.',
	inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** A refusal with its JSON-RPC number. */
export class EchoError extends Error {
	constructor(code, message, data) {
		super(message);
		this.code = code;
		this.data = data;
	}
}

/** The result of one request. Throws `EchoError`. */
export function answer(method, params) {
	const version = params?._meta?.[VERSION_KEY];
	return version === undefined ? answerLegacy(method, params) : answerModern(method, params, version);
}

function answerLegacy(method, params) {
	switch (method) {
		case 'tools/call':
			return { content: echo(params) };
		case 'tools/list':
			return { tools: [tool] };
		case 'ping':
			return {};
		case 'initialize': {
			const asked = params?.protocolVersion;
			const protocolVersion = legacyVersions.includes(asked) ? asked : legacyVersions[0];
			return { protocolVersion, capabilities, serverInfo: info };
		}
		default:
			throw new EchoError(-32601, `method not found: ${method}`);
	}
}

function answerModern(method, params, version) {
	if (version !== MODERN) {
		const data = { supported: [MODERN], requested: version };
		throw new EchoError(-32022, `unsupported protocol version: ${version}`, data);
	}
	switch (method) {
		case 'tools/call':
			return { resultType: 'complete', content: echo(params), _meta: meta };
		case 'tools/list':
			return { resultType: 'complete', tools: [tool], ttlMs: 60_000, cacheScope: 'public', _meta: meta };
		case 'server/discover': {
			const caching = { ttlMs: 3_600_000, cacheScope: 'public' };
			return { resultType: 'complete', supportedVersions: [MODERN], capabilities, ...caching, _meta: meta };
		}
		default:
			throw new EchoError(-32601, `method not found: ${method}`);
	}
}

function echo(params) {
	if (params?.name !== tool.name) throw new EchoError(-32602, `unknown tool: ${params?.name}`);
	const text = params.arguments?.text;
	if (typeof text !== 'string') throw new EchoError(-32602, '`text` must be a string');
	return [{ type: 'text', text }];
}
