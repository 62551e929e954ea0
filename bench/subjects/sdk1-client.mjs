/* A client of any echo server, on `@modelcontextprotocol/sdk` 1.x. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** Start a server and open a session with it. The caller closes. */
export async function connect({ cmd, args }) {
	const transport = new StdioClientTransport({ command: cmd, args });
	const client = new Client({ name: 'echo', version: '1.0.0' });
	await client.connect(transport);
	return {
		pid: transport.pid,
		list: async () => (await client.listTools()).tools,
		call: async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text,
		close: () => client.close(),
	};
}
