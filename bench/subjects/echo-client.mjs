/* A client of any echo server, on our library. */
import { Client } from '../../dist/transport/index.js';
import { info } from './echo-tool.mjs';

/** Start a server and open a session with it. The caller closes. */
export async function connect({ cmd, args }) {
	const client = await Client.open({ command: cmd, args });
	const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
	await client.request('initialize', hello);
	client.notify('notifications/initialized');
	return {
		pid: client.pid,
		list: async () => (await client.request('tools/list')).tools,
		call: async (text) => {
			const result = await client.request('tools/call', { name: 'echo', arguments: { text } });
			return result.content[0].text;
		},
		close: () => client.close(),
	};
}
