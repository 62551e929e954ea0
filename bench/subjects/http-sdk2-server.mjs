/* The echo server over HTTP on `@modelcontextprotocol/server` 2.x, both dialects. Prints its port; ends with its stdin. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = 'x'.repeat(10 * 1024 * 1024);
const handler = createMcpHandler(() => {
	const server = new McpServer({ name: 'echo', version: '1.0.0' });
	server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (input) => ({
		content: [{ type: 'text', text: input.text }],
	}));
	server.registerTool('large', { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text }] }));
	return server;
});

const server = createServer(async (request, response) => {
	const hasBody = request.method === 'POST';
	const answer = await handler.fetch(
		new Request(`http://127.0.0.1${request.url}`, {
			method: request.method,
			headers: request.headers,
			...(hasBody && { body: Readable.toWeb(request), duplex: 'half' }),
		}),
	);
	response.writeHead(answer.status, Object.fromEntries(answer.headers));
	if (answer.body) for await (const chunk of answer.body) response.write(chunk);
	response.end();
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
