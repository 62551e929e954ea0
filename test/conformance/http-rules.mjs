/* What MCP asks of HTTP and not of a pipe: local hosts only, headers that agree with the body, status codes. */

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const HEADER_MISMATCH = -32020;
const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const named = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

/** Whether host and origin are this machine; a page elsewhere must not reach us by a forged name. */
export function isLoopback({ host = '', origin }) {
	return local.test(host) && (origin === undefined || local.test(origin.replace(/^https?:\/\//, '')));
}

/** The error for headers that contradict a modern body; undefined when all is well. */
export function refusalOf(headers, { id, method, params }) {
	const version = headers['mcp-protocol-version'];
	const inBody = params?._meta?.[VERSION];
	if (inBody === undefined) return undefined;
	const pairs = [
		['MCP-Protocol-Version', version, inBody],
		['Mcp-Method', headers['mcp-method'], method],
		...(method in named ? [['Mcp-Name', decoded(headers['mcp-name']), params?.[named[method]]]] : []),
	];
	const wrong = pairs.find(([, header, body]) => header !== body);
	if (wrong === undefined) return undefined;
	const message = `the header ${wrong[0]} is ${wrong[1]}, the body says ${wrong[2]}`;
	return { jsonrpc: '2.0', id, error: { code: HEADER_MISMATCH, message } };
}

/** The status of a modern answer. */
export function statusOf({ error }, { params }) {
	if (error === undefined) return 200;
	if (error.code === -32601) return 404;
	const meta = params?._meta;
	const isIncomplete = meta?.[VERSION] === undefined || meta?.[CAPABILITIES] === undefined;
	return (error.code <= -32020 && error.code > -32100) || isIncomplete ? 400 : 200;
}

function decoded(name) {
	const match = /^=\?base64\?(.*)\?=$/.exec(name ?? '');
	return match ? Buffer.from(match[1], 'base64').toString() : name;
}
