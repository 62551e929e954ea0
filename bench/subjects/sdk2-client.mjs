/* A client of any echo server, on `@modelcontextprotocol/client` 2.x. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

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
