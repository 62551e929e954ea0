/* The server behind every gateway: the echo tool, and a tool whose result is as large as asked for. By hand, no library. */
import { answer } from './echo-tool.mjs';

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
	const lines = (rest + chunk).split('\n');
	rest = lines.pop();
	for (const line of lines) {
		const { id, method, params } = JSON.parse(line);
		if (id !== undefined) process.stdout.write(`${JSON.stringify(reply(id, method, params))}\n`);
	}
});
process.stdin.on('end', () => process.exit());

const big = {
	name: 'big',
	description: 'A text of `size` characters.',
	inputSchema: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
};

function reply(id, method, params) {
	try {
		return { jsonrpc: '2.0', id, result: resultOf(method, params) };
	} catch ({ code, message, data }) {
		return { jsonrpc: '2.0', id, error: { code, message, data } };
	}
}

function resultOf(method, params) {
	if (method === 'tools/call' && params.name === 'big')
		return { content: [{ type: 'text', text: 'x'.repeat(params.arguments.size) }] };
	const result = answer(method, params);
	return method === 'tools/list' ? { ...result, tools: [...result.tools, big] } : result;
}
