/* `orchestra-hub/sdk`: drop-in stdio transports for the official MCP SDK, here its version 1. */
import { ok } from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { OrchestraClientTransport, OrchestraServerTransport } from 'orchestra-hub/sdk';

if (process.argv[2] === 'serve') {
	const server = new McpServer({ name: 'clock', version: '1.0.0' });
	server.registerTool('now', {}, () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }));
	await server.connect(new OrchestraServerTransport());
} else {
	const client = new Client({ name: 'example', version: '1.0.0' });
	await client.connect(
		new OrchestraClientTransport({ command: process.execPath, args: [import.meta.filename, 'serve'] }),
	);
	const { tools } = await client.listTools();
	ok(tools[0]?.name === 'now');
	await client.close();
}
