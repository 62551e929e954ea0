/*
 * `mctl request`: one JSON-RPC request to a program or a remote MCP server, and its response.
 *
 * An MCP server refuses most methods before its handshake, so a method of MCP is
 * preceded by it, unless `--raw` is given or the params name the protocol version
 * themselves, as requests of the newest revision do. What is at a URL is an MCP server.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import type { McpClient } from '../../mcp/client/mcp-client.ts';
import { printableJson } from '../../printable.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { Peer } from '../../rpc/peer.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, type CommandInput, numberFlag, usageError } from '../command.ts';
import { connectEndpoint, openEndpoint } from '../target/open-endpoint.ts';
import { isUrl } from '../target/target-name.ts';

const mcpMethod = /^(tools|prompts|resources|completion|logging|tasks)\//;
const MODERN_KEY = 'io.modelcontextprotocol/protocolVersion';

export const request: Command = {
	usage: 'mctl request <stdio:URI|URL> <method> [params JSON] [--timeout MS] [--raw] [--json]',
	examples: [
		"mctl request 'stdio:python3 server.py' ping",
		`mctl request 'stdio:node server.js' tools/call '{"name":"echo","arguments":{"text":"hi"}}'`,
		"mctl request 'stdio:node server.js' tools/list --json | jq .result",
		'mctl request https://example.com/mcp tools/list',
	],
	flags: {
		timeout: { value: 'MS', help: 'longest wait for the response (default 30000)' },
		raw: { help: 'send only this: no `initialize` before a method of MCP' },
		json: { help: 'print one JSON object with the response on stdout' },
	},
	args: [2, Number.POSITIVE_INFINITY, 'a URI and a method'],

	async run(input) {
		const [uri = '', method = '', paramsText, ...rest] = input.args;
		if (rest.length > 0)
			throw usageError(request, 'too many arguments; put the URI and the params in quotes');
		const params = paramsText === undefined ? undefined : readParams(paramsText);
		const flagMs = numberFlag(input, request, 'timeout');
		const timeoutMs = flagMs ?? (isUrl(uri) ? undefined : parseStdioUri(uri).timeoutMs);
		const sent = { uri, method, params, timeoutMs };
		const isMcp = isUrl(uri) || (mcpMethod.test(method) && paramsText?.includes(MODERN_KEY) !== true);
		const answer = isMcp && !input.flags['raw'] ? sendAfterHandshake(sent, input) : sendAlone(sent, input);
		const result = await answer.catch((thrown: unknown) => {
			if (!OrchestraError.is(thrown, 'timeout')) throw thrown;
			const hint = `${method} got no response; raise --timeout if it needs longer.`;
			throw new OrchestraError('timeout', thrown.message, { hint, data: thrown.data, cause: thrown });
		});
		if (input.flags['json']) input.out.json({ schema: 'orchestra.request/1', method, result });
		else input.out.line(printableJson(result, 2));
	},
};

interface SentRequest {
	readonly uri: string;
	readonly method: string;
	readonly params: unknown;
	readonly timeoutMs: number | undefined;
}

/** A program that refuses the handshake gets the request all the same: it may know the method without. */
async function sendAfterHandshake(sent: SentRequest, input: CommandInput): Promise<unknown> {
	const { uri, method, params = {}, timeoutMs } = sent;
	const { signal } = input;
	if (!isObject(params)) throw usageError(request, `the params of ${method} are an object`);
	const clientInfo = { name: 'mctl', version: packageVersion() };
	let client: McpClient;
	try {
		client = await connectEndpoint(uri, input, { clientInfo, signal, startMs: timeoutMs, showsStderr: true });
	} catch (thrown) {
		if (isUrl(uri) || !OrchestraError.is(thrown, 'rpc')) throw thrown;
		input.out.info(`mctl: the program refused \`initialize\`: ${thrown.message}`);
		return sendAlone(sent, input);
	}
	return client.request(method, params, { timeoutMs, signal }).finally(() => client.close());
}

async function sendAlone(sent: SentRequest, input: CommandInput): Promise<unknown> {
	const { uri, method, params, timeoutMs } = sent;
	const { signal } = input;
	const transport = await openEndpoint(uri, input, { showsStderr: true });
	const peer = new Peer(transport, { onRequest: answerPing });
	transport.start(peer);
	return peer.request(method, params, { timeoutMs, signal }).finally(() => transport.close());
}

function answerPing({ method }: IncomingCall): unknown {
	if (method === 'ping') return {};
	throw methodNotFound(method);
}

function readParams(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw usageError(request, `the params are not JSON: ${messageOf(error)}`);
	}
}
