/* The MCP client over the HTTP transport: it finds the era of each server by itself. */
import { expect, it } from 'vitest';
import { ServerConnection } from '../../../src/mcp/client/server-connection.ts';
import { openHttpTransport } from '../../../src/transport/http/open-http-transport.ts';
import { type Fault, serveFaulty } from '../../support/faulty-remote.ts';
import { rpcFailure, sendJson } from '../../support/http-server.ts';
import { serveSdk1, serveSdk2, serveSdkSse } from '../../support/sdk-http.ts';
import { connected, failure } from '../../support/servers.ts';

const servers = [
	['SDK 1.x', serveSdk1, 'legacy', 'count'],
	['SDK 2.x', serveSdk2, 'modern', 'echo'],
	['2024-11-05', serveSdkSse, 'legacy', 'count'],
] as const;

for (const [what, serve, era, name] of servers) {
	it(`opens and calls a server of ${what}, in the ${era} era`, async () => {
		const { url } = await serve();
		const clientInfo = { name: 'test', version: '1' };
		const connection = await ServerConnection.open(() => openHttpTransport(url), {
			clientInfo,
			capabilities: {},
		});
		expect(connection.era).toBe(era);
		const { items } = await connection.listAll('tools');
		expect(items.map((tool) => tool['name'])).toContain(name);
		const result = await connection.request('tools/call', { name, arguments: { text: 'hi' } });
		expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
		await connection.close();
	});
}

it('probes again when the server was overloaded', async () => {
	const { url } = await serveFaulty({ era: 'modern', fault: onProbe(503, 1) });
	expect(await connected(() => openHttpTransport(url))).toMatchObject({ era: 'modern', isEraProven: true });
});

it.each([
	['an overload', onProbe(429), {}],
	['a broken connection', onProbe(0), {}],
	['silence', onProbe(-1), { probeMs: 20 }],
])('takes %s in answer to the probe for no proof of the era', async (_what, fault, options) => {
	const { url } = await serveFaulty({ fault });
	const connection = await connected(() => openHttpTransport(url), options);
	expect(connection).toMatchObject({ era: 'legacy', isEraProven: false });
});

it('sends nothing more to a server that names the time of the next request', async () => {
	const methods: unknown[] = [];
	const { url } = await serveFaulty({
		fault: ({ message }, response) => {
			methods.push(message.method);
			response.writeHead(503, { 'retry-after': '30' }).end();
			return true;
		},
	});
	const { data } = await failure(connected(() => openHttpTransport(url)));
	expect([data['retryAfterMs'], methods]).toEqual([30_000, ['server/discover']]);
});

it('takes a refused probe for a proof of the legacy era', async () => {
	const { url } = await serveFaulty();
	expect(await connected(() => openHttpTransport(url))).toMatchObject({ era: 'legacy', isEraProven: true });
});

it.each([
	['404 with -32601', refusing('initialize', 404, -32601)],
	['400 with -32602', refusing('initialize', 400, -32602)],
	['404 alone', refusing('initialize', 404)],
])('finds a server modern that was legacy and refuses initialize: %s', async (_what, fault) => {
	const { url } = await serveFaulty({ era: 'modern', fault });
	const connection = await connected(() => openHttpTransport(url), { knownEra: 'legacy' });
	expect(connection.era).toBe('modern');
});

it('reports the error of a modern server that refuses the probe', async () => {
	const { url } = await serveFaulty({ era: 'modern', fault: refusing('server/discover', 400, -32021) });
	expect((await failure(connected(() => openHttpTransport(url)))).message).toContain('-32021');
});

/** Refuse the first probes with a status; 0 breaks the connection, -1 never answers. */
function onProbe(code: number, times = Number.POSITIVE_INFINITY): Fault {
	let left = times;
	return ({ message }, response) => {
		if (message.method !== 'server/discover' || left-- <= 0) return false;
		if (code === 0) response.destroy();
		else if (code > 0) response.writeHead(code).end();
		return true;
	};
}

function refusing(method: string, status: number, code?: number): Fault {
	return ({ message }, response) => {
		if (message.method !== method) return false;
		if (code === undefined) response.writeHead(status).end();
		else sendJson(response, rpcFailure(message.id, code, 'refused'), status);
		return true;
	};
}
