/*
 * MCP over HTTP: our client and our listener beside those of the official SDK, and what
 * a hop through the hub adds to a call of a remote server, and to one over HTTP of a server over stdio.
 */
import { measureClients } from './http-client.mjs';
import { measureHop } from './http-hop.mjs';
import { measureListeners } from './http-server.mjs';
import { measureStdioServers } from './http-stdio.mjs';

/** Run the suite, print its tables, and give back the numbers. */
export async function run(options) {
	const clients = await measureClients(options);
	const listeners = await measureListeners(options);
	const hop = await measureHop(options);
	return { clients, listeners, hop, stdio: await measureStdioServers(options) };
}
