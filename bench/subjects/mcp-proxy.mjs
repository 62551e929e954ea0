/* `mcp-proxy` as its documentation shows it: a client of the child, a server on stdio, `proxyServer` between them. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { proxyServer } from 'mcp-proxy';

const maxBufferSize = 64 * 1024 * 1024;
const client = new Client({ name: 'mcp-proxy', version: '1.0.0' });
await client.connect(
	new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2), maxBufferSize }),
);
const serverCapabilities = client.getServerCapabilities();
const server = new Server(client.getServerVersion(), { capabilities: serverCapabilities });
await proxyServer({ client, server, serverCapabilities });
const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize });
await server.connect(transport);
process.stdin.on('end', () => client.close());
