/* `mctl request`: one JSON-RPC request to a program, and its answer. */
import { messageOf } from '../errors.ts';
import { printableJson } from '../printable.ts';
import { Client } from '../transport/client.ts';
import { type Command, numberFlag, usageError } from './command.ts';

export const request: Command = {
	usage: 'mctl request <stdio:URI> <method> [params JSON] [--timeout MS] [--json]',
	examples: [
		"mctl request 'stdio:python3 server.py' ping",
		`mctl request 'stdio:node server.js' tools/call '{"name":"echo","arguments":{"text":"hi"}}'`,
		"mctl request 'stdio:node server.js' tools/list --json | jq .result",
	],
	flags: {
		timeout: { type: 'string', value: 'MS', help: 'longest wait for the answer (default 30000)' },
		json: { type: 'boolean', help: 'print one JSON object with the answer on stdout' },
	},

	async run(input) {
		const [uri, method, paramsText, ...rest] = input.words;
		if (uri === undefined || method === undefined)
			throw usageError(request, 'mctl request needs a URI and a method');
		if (rest.length > 0) throw usageError(request, 'too many words; put the URI and the params in quotes');
		const params = paramsText === undefined ? undefined : readParams(paramsText);
		const timeoutMs = numberFlag(input, request, 'timeout');
		const { out } = input;
		const client = await Client.open(uri, { stderr: out.childStderr });
		try {
			const result = await client.request(method, params, { timeoutMs, signal: input.signal });
			if (input.flags['json']) out.json({ schema: 'orchestra.request/1', method, result });
			else out.line(printableJson(result, 2));
		} finally {
			await client.close();
		}
	},
};

function readParams(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw usageError(request, `the params are not JSON: ${messageOf(error)}`);
	}
}
