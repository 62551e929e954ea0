/*
 * MCP over HTTP: our client and our listener beside those of the official SDK, and what
 * a hop through the hub adds to a call of a remote server.
 */
import { measureClients } from './http-client.mjs';
import { measureHop } from './http-hop.mjs';
import { measureListeners } from './http-server.mjs';

/** Run the suite, print its tables, and give back the numbers. */
export async function run(options) {
	const clients = await measureClients(options);
	const listeners = await measureListeners(options);
	return { clients, listeners, hop: await measureHop(options) };
}
