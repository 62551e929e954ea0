/*
 * `mctl request`: one JSON-RPC request to a program or a remote MCP server, and its response.
 *
 * An MCP server refuses most methods before `initialize`, so a method of MCP is
 * preceded by the handshake, unless `--raw` is given or the params name the protocol version
 * themselves, as requests of the newest revision do.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { printableJson } from '../../printable.ts';
import { negotiate } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { Client } from '../../transport/client.ts';
import { type Command, type CommandInput, numberFlag, usageError } from '../command.ts';

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
		timeout: { type: 'string', value: 'MS', help: 'longest wait for the response (default 30000)' },
		raw: { type: 'boolean', help: 'send only this: no `initialize` before a method of MCP' },
		json: { type: 'boolean', help: 'print one JSON object with the response on stdout' },
	},

	async run(input) {
		const [uri, method, paramsText, ...rest] = input.words;
		if (uri === undefined || method === undefined)
			throw usageError(request, 'mctl request needs a URI and a method');
		if (rest.length > 0) throw usageError(request, 'too many words; put the URI and the params in quotes');
		const params = paramsText === undefined ? undefined : readParams(paramsText);
		const timeoutMs = numberFlag(input, request, 'timeout');
		if (/^https?:\/\//i.test(uri)) {
			const { requestUrl } = await import('../request-url.ts');
			const isRaw = input.flags['raw'] === true;
			return show(input, method, await requestUrl({ url: uri, method, params, timeoutMs, isRaw }, input));
		}
		const isMcp = !input.flags['raw'] && mcpMethod.test(method) && paramsText?.includes(MODERN_KEY) !== true;
		const client = await Client.open(uri, { stderr: input.out.childStderr, onRequest: answerPing });
		try {
			if (isMcp) await initialize(client, input, timeoutMs);
			show(input, method, await send(client, method, params, { timeoutMs, signal: input.signal }));
		} finally {
			await client.close();
		}
	},
};

function show({ flags, out }: CommandInput, method: string, result: unknown): void {
	if (flags['json']) out.json({ schema: 'orchestra.request/1', method, result });
	else out.line(printableJson(result, 2));
}

/** The handshake of MCP. A program that refuses it is asked all the same: it may know the method without. */
async function initialize(client: Client, { out, signal }: CommandInput, timeoutMs?: number): Promise<void> {
	const params = {
		protocolVersion: negotiate(undefined).version,
		capabilities: {},
		clientInfo: { name: 'mctl', version: packageVersion() },
	};
	try {
		await send(client, 'initialize', params, { timeoutMs, signal });
		client.notify('notifications/initialized');
	} catch (thrown) {
		if (!OrchestraError.is(thrown, 'rpc')) throw thrown;
		out.note(`mctl: the program refused \`initialize\`: ${thrown.message}`);
	}
}

/** As `client.request`, with the flag of this command in the hint of a timeout. */
async function send(client: Client, ...[method, ...rest]: Parameters<Client['request']>): Promise<unknown> {
	try {
		return await client.request(method, ...rest);
	} catch (thrown) {
		if (!OrchestraError.is(thrown, 'timeout')) throw thrown;
		const hint = `${method} got no response; raise --timeout if it needs longer.`;
		throw new OrchestraError('timeout', thrown.message, { hint, data: thrown.data, cause: thrown });
	}
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
