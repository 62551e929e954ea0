/* The echo server on `@modelcontextprotocol/sdk` 1.x, written as its documentation shows. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const maxBufferSize = 64 * 1024 * 1024;

const server = new McpServer({ name: 'echo', version: '1.0.0' });
server.registerTool(
	'echo',
	{ description: 'Give back the text.', inputSchema: { text: z.string() } },
	({ text }) => ({ content: [{ type: 'text', text }] }),
);
await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize }));
