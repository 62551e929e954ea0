/* The MCP client over the HTTP transport: it finds the era of each server by itself. */
import { expect, it } from 'vitest';
import { ServerConnection } from '../../../src/mcp/client/server-connection.ts';
import { openHttpTransport } from '../../../src/transport/http/open-http-transport.ts';
import { serveSdk1, serveSdk2, serveSdkSse } from '../../support/sdk-http.ts';

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
