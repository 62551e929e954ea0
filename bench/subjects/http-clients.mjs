/* Clients of an echo server over HTTP: ours, the official SDK's, and bare `node:http`. */

/** Open a client by name. The caller closes. */
export const httpClients = {
	async orchestra(url) {
		const { openHttpTransport } = await import('../../dist/internals.js');
		const { Peer } = await import('../../dist/transport/index.js');
		const transport = await openHttpTransport(url, { limitBytes: 64 * 1024 * 1024 });
		const peer = new Peer(transport);
		transport.start(peer);
		const clientInfo = { name: 'echo', version: '1.0.0' };
		await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		peer.notify('notifications/initialized');
		return {
			call: (name, input) => peer.request('tools/call', { name, arguments: input }),
			close: () => transport.close(),
		};
	},

	async sdk2(url) {
		const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
		const client = new Client({ name: 'echo', version: '1.0.0' });
		await client.connect(new StreamableHTTPClientTransport(new URL(url)));
		return {
			call: (name, input) => client.callTool({ name, arguments: input }),
			close: () => client.close(),
		};
	},

	async bare(url) {
		const { Agent, request } = await import('node:http');
		const agent = new Agent({ keepAlive: true });
		const { hostname, port, pathname: path } = new URL(url);
		const headers = {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			'mcp-protocol-version': '2025-11-25',
		};
		let id = 0;
		const call = (name, input) =>
			new Promise((resolve, reject) => {
				const body = JSON.stringify({
					jsonrpc: '2.0',
					id: ++id,
					method: 'tools/call',
					params: { name, arguments: input },
				});
				const options = { agent, hostname, port, path, method: 'POST', headers };
				const sent = request({
					...options,
					headers: { ...headers, 'content-length': Buffer.byteLength(body) },
				});
				sent.on('error', reject);
				sent.on('response', (response) => {
					const chunks = [];
					response.on('data', (chunk) => chunks.push(chunk));
					response.on('end', () => {
						const text = Buffer.concat(chunks).toString();
						// A server may answer with one event.
						const json = text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 6);
						resolve(JSON.parse(json).result);
					});
				});
				sent.end(body);
			});
		return { call, close: () => agent.destroy() };
	},
};
