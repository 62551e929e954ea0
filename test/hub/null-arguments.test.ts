/* Arguments that are `null`, which clients in Go send, count as absent on every way in. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { argumentsIn } from '../../src/plugin/exact-json.ts';
import { modernRequest, openListener, send } from '../support/http-listener.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { goServer } from '../support/interop-servers.ts';
import { main } from '../support/mctl.ts';
import { gateway, type HubClient, serveServers } from '../support/served-hub.ts';

it.each(['legacy', 'modern'] as const)('a %s call reaches the server without them', async (era) => {
	const client = await (await serveServers({ gate: gateway() })).client({ era });
	const params = await calledWith(client, { name: 'gate__params', arguments: null });
	expect('arguments' in params).toBe(false);
	const prompt = await client.request('prompts/get', { name: 'gate__hello', arguments: null });
	expect(prompt).toMatchObject({ messages: [{ content: { text: 'Hello undefined' } }] });
	const completion = {
		ref: { type: 'ref/prompt', name: 'gate__hello' },
		argument: { name: 'who', value: 'A' },
	};
	await client.request('completion/complete', { ...completion, context: { arguments: null } });
});

it('so does a call through call_tool', async () => {
	const served = await serveServers({ gate: gateway() }, { more: { toolList: { expose: 'search' } } });
	const input = { name: 'gate__params', arguments: null };
	const params = await calledWith(await served.client(), { name: 'call_tool', arguments: input });
	expect([params['name'], 'arguments' in params]).toEqual(['params', false]);
});

it('so does a call over HTTP', async () => {
	const served = await serveServers({ gate: gateway() });
	const { url } = await openListener({ provider: served.opened.hub });
	const request = modernRequest('tools/call', { name: 'gate__params', arguments: null });
	const { result } = await (await send(url, request)).json();
	expect('arguments' in JSON.parse(result.content[0].text)).toBe(false);
});

it('a plugin gets no text of them', () => {
	const line = '{"id":12345678901234567890,"params":{"name":"a","arguments":null}}';
	expect(argumentsIn(line, {})).toEqual({ value: {} });
});

it.each(['serve', 'bridge'])(
	'the client of the Go SDK calls a tool through mctl %s',
	async (command) => {
		const go = await goServer('go');
		if (typeof go === 'string') return console.warn(`skipped: ${go}`);
		const { cwd, env } = openHubPlace({ mcpServers: { go }, toolList: { expose: 'all' } });
		const args = ['call', 'go__canceled', 'go__hello', process.execPath, main, command];
		const options = { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } };
		const { stdout } = await promisify(execFile)(go.command, args, options);
		expect(stdout).toBe('0\nHello \n');
	},
	90_000,
);

/** The params that the server got. */
async function calledWith(client: HubClient, params: object): Promise<Record<string, unknown>> {
	const { content } = await client.request('tools/call', params);
	const [{ text = '' } = {}] = content as { text?: string }[];
	return JSON.parse(text);
}
