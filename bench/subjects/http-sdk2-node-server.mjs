/* The echo server on `@modelcontextprotocol/server` 2.x over HTTP, as its documentation shows, without a token. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const large = 'x'.repeat(10 * 1024 * 1024);
const handler = createMcpHandler(() => {
	const server = new McpServer({ name: 'echo', version: '1.0.0' });
	server.registerTool(
		'echo',
		{ description: 'Give back the text.', inputSchema: z.object({ text: z.string() }) },
		({ text }) => ({ content: [{ type: 'text', text }] }),
	);
	server.registerTool('large', { inputSchema: z.object({}) }, () => ({
		content: [{ type: 'text', text: large }],
	}));
	return server;
});
const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
process.stdin.resume().on('end', () => process.exit());
