/* The echo server over HTTP in 30 lines of `node:http`: JSON answers, no checks. Prints its port; ends with its stdin. */
import { createServer } from 'node:http';

const text = 'x'.repeat(10 * 1024 * 1024);
const large = JSON.stringify({ content: [{ type: 'text', text }] });
const about = { capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1.0.0' } };
const results = {
	initialize: () => JSON.stringify({ ...about, protocolVersion: '2025-11-25' }),
	'tools/list': () => JSON.stringify({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
	'tools/call': ({ name, arguments: input }) =>
		name === 'large' ? large : JSON.stringify({ content: [{ type: 'text', text: input.text }] }),
};

const server = createServer((request, response) => {
	if (request.method !== 'POST') return response.writeHead(405).end();
	const chunks = [];
	request.on('data', (chunk) => chunks.push(chunk));
	request.on('end', () => {
		const { id, method, params } = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
		if (id === undefined) return response.writeHead(202).end();
		const result = results[method]?.(params);
		const outcome = result ? `"result":${result}` : '"error":{"code":-32601,"message":"method not found"}';
		const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
		response.writeHead(200, {
			'content-type': 'application/json',
			'content-length': Buffer.byteLength(body),
		});
		response.end(body);
	});
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
