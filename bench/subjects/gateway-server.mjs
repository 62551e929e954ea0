/*
 * The server behind every gateway: the echo tool, and a tool whose result is as large as asked for. By hand, no library.
 * It speaks both eras; with the argument `legacy` only the older one.
 */
import { answer } from './echo-tool.mjs';

const isLegacy = process.argv.includes('legacy');
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
	description: 'A text of `size` characters, or as many characters of small values.',
	inputSchema: {
		type: 'object',
		properties: { size: { type: 'integer' }, isDense: { type: 'boolean' } },
		required: ['size'],
	},
};

function reply(id, method, params) {
	try {
		return { jsonrpc: '2.0', id, result: resultOf(method, params) };
	} catch ({ code, message, data }) {
		return { jsonrpc: '2.0', id, error: { code, message, data } };
	}
}

function resultOf(method, params) {
	if (method === 'tools/call' && params.name === 'big') return bigResult(params.arguments);
	const result = answer(method, isLegacy ? { ...params, _meta: undefined } : params);
	return method === 'tools/list' ? { ...result, tools: [...result.tools, big] } : result;
}

const ROW = { id: 7, name: 'row', tags: ['a', 'b'], at: [1.5, true, null] };

function bigResult({ size, isDense }) {
	if (!isDense) return { content: [{ type: 'text', text: 'x'.repeat(size) }] };
	const rows = Array.from({ length: Math.ceil(size / JSON.stringify(ROW).length) }, () => ROW);
	return { content: [], structuredContent: { rows } };
}
