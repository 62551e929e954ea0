/* Results of a modern server as the text that a client of either era gets. */
import { expect, it } from 'vitest';
import { serverWith } from '../../support/modern-server.ts';
import { type HubClient, serveServers } from '../../support/served-hub.ts';

const server = serverWith(`
	if (method === 'tools/list') {
		const inputSchema = { type: 'object' };
		return { tools: [{ name: 'page', inputSchema }, { name: 'tagged', inputSchema }], ttlMs: 1, cacheScope: 'private' };
	}
	const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'by-hand', version: '1' } };
	const _meta = params.name === 'tagged' ? { ...serverInfo, 'com.example/tag': '<t>' } : serverInfo;
	return { content: [{ type: 'text', text: '<p>' }], _meta };
`);
const content = '"content":[{"type":"text","text":"\\u003cp>"}]';

it('is written for a legacy client as the server wrote it, without what only the modern era has', async () => {
	const client = await (await serveServers({ web: server })).client();
	expect(await resultText(client, 'web__page')).toBe(`{${content}}`);
	expect(await resultText(client, 'web__tagged')).toBe(
		`{${content},"_meta":{"com.example/tag":"\\u003ct>"}}`,
	);
});

it('is written for a modern client as the server wrote it', async () => {
	const client = await (await serveServers({ web: server })).client({ era: 'modern' });
	expect(await resultText(client, 'web__page')).toContain(content);
});

async function resultText(client: HubClient, name: string): Promise<string> {
	return (await client.requestText('tools/call', { name, arguments: {} })).text;
}
