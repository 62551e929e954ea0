/*
 * A legacy MCP server with one tool, `record`: it appends the id of the call to the file RUNS, and answers with
 * the id after `ms`. It writes by hand, so that it starts fast.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const tools = [{ name: 'record', inputSchema: { type: 'object' } }];
const results = {
	initialize: ({ protocolVersion }) => ({
		protocolVersion,
		capabilities: { tools: {} },
		serverInfo: { name: 'recording', version: '1.0.0' },
	}),
	'tools/list': () => ({ tools }),
	'tools/call': ({ arguments: { id } }) => {
		appendFileSync(process.env.RUNS, `${id}\n`);
		return { content: [{ type: 'text', text: id }] };
	},
};

createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return;
	const result = results[method]?.(params ?? {});
	const outcome = result ? { result } : { error: { code: -32601, message: `no ${method}` } };
	setTimeout(
		() => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`),
		params?.arguments?.ms ?? 0,
	);
});
