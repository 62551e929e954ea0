/*
 * Code of the product for the bench of the fabric, and the program of its worker: bundled from the
 * sources, because the fabric is no entry point of the package. With words it is a worker and a plain
 * TLS server that answers the same calls: `worker SERVERS CA CERT KEY`. With `server` it is an MCP server
 * with the same tool.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createServer } from 'node:tls';
import { connect } from '@nats-io/transport-node';
import { advertisementBodies } from '../../src/fabric/advertisements/advertisement-bodies.ts';
import { putKey, readBucket } from '../../src/fabric/advertisements/bucket.ts';
import { FabricSource } from '../../src/fabric/calls/fabric-source.ts';
import { bodyKey, presenceKey } from '../../src/fabric/fabric-names.ts';
import { FabricLink } from '../../src/fabric/link/fabric-link.ts';
import { FabricWorker } from '../../src/fabric/worker/fabric-worker.ts';
import { Hub } from '../../src/hub/hub.ts';
import { certifyAuthority, makeLeaf, newAuthority } from '../../src/link/certificates/x509.ts';
import { Log } from '../../src/log.ts';
import { CallContext } from '../../src/mcp/server/call-context.ts';
import { answerValue } from '../../src/protocol/mcp-types.ts';
import { negotiate } from '../../src/protocol/revisions.ts';
import { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';

export {
	advertisementBodies,
	bodyKey,
	CallContext,
	certifyAuthority,
	connect,
	FabricLink,
	FabricSource,
	FabricWorker,
	Hub,
	IncomingCall,
	Log,
	makeLeaf,
	negotiate,
	newAuthority,
	presenceKey,
	putKey,
	readBucket,
};

const inputSchema = { type: 'object' };
const answer = ({ bytes, text = '' }) => ({
	content: [{ type: 'text', text: bytes === undefined ? text : 'x'.repeat(bytes) }],
});

/** A hub with one tool, `echo`. */
export function echoHub() {
	return new Hub({
		sources: [
			{
				id: 'bench',
				kind: 'tools',
				status: { state: 'ready' },
				capabilities: ['tools'],
				list: () => [{ name: 'echo', inputSchema }],
				request: ({ params }) => answer(params.arguments),
				close: async () => {},
			},
		],
	});
}

/** The client of calls in the same process. */
export const client = {
	revision: negotiate(undefined),
	capabilities: {},
	clientInfo: { name: 'bench' },
	sessionId: 'bench',
	logLevel: () => undefined,
	notify: () => {},
};

/** Call a tool of a hub in the same process. */
export async function callHub(hub, params) {
	const context = new CallContext(client, new IncomingCall(1, 'tools/call', params), {});
	return answerValue(await hub.request({ method: 'tools/call', params, context }));
}

if (process.argv[2] === 'server') {
	const results = {
		initialize: () => ({
			protocolVersion: '2025-11-25',
			capabilities: { tools: {} },
			serverInfo: { name: 'bench', version: '1' },
		}),
		'tools/list': () => ({ tools: [{ name: 'echo', inputSchema }] }),
		'tools/call': (params) => answer(params.arguments),
	};
	createInterface({ input: process.stdin }).on('line', (line) => {
		const { id, method, params } = JSON.parse(line);
		if (id === undefined) return;
		const result = results[method]?.(params) ?? {};
		process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
	});
}

const [servers, ca, cert, key] = process.argv[2] === 'worker' ? process.argv.slice(3) : [];
if (servers !== undefined) {
	const worker = new FabricWorker({
		access: { servers: [servers], name: 'bench-worker', ca },
		group: 'bench',
		patterns: ['*'],
		hub: echoHub(),
		log: Log.silent,
	});
	await worker.open();
	// The least that a call over the server can cost.
	const bare = await connect({ servers, tls: { caFile: ca }, noEcho: true });
	bare.subscribe('bench.echo', { callback: (_error, message) => message.respond(message.data) });
	const hub = echoHub();
	const server = createServer(
		{ cert: readFileSync(cert), key: readFileSync(key), minVersion: 'TLSv1.3' },
		(socket) => {
			socket.setNoDelay(true);
			let rest = '';
			socket.setEncoding('utf8');
			socket.on('data', (chunk) => {
				const lines = (rest + chunk).split('\n');
				rest = lines.pop();
				for (const line of lines) void respond(JSON.parse(line));
			});
			const respond = async ({ id, params, isHub }) => {
				const result = isHub ? await callHub(hub, params) : answer(params.arguments);
				socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
			};
			socket.on('error', () => {});
		},
	);
	server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
