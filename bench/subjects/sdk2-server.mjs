/* The echo server on `@modelcontextprotocol/server` 2.x, written as its documentation shows. Serves both dialects. */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const maxBufferSize = 64 * 1024 * 1024;

serveStdio(
	() => {
		const server = new McpServer({ name: 'echo', version: '1.0.0' });
		server.registerTool(
			'echo',
			{ description: 'Give back the text.', inputSchema: z.object({ text: z.string() }) },
			({ text }) => ({ content: [{ type: 'text', text }] }),
		);
		return server;
	},
	{ transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize }) },
);
