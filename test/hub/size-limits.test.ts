/* What one server or client sends is bounded, so that the others do not wait for it. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonText } from '../../src/wire/json-text.ts';
import { modernRequest, openListener, send } from '../support/http-listener.ts';
import { gateway, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';

const hostile = (how: string): object => ({
	command: process.execPath,
	args: [resolve(import.meta.dirname, '../fixtures/servers/hostile-server.mjs'), how],
});

describe('a list of 50 MB', () => {
	it('is refused with the bound, and the other servers are listed', async () => {
		const served = await serveServers({ gate: gateway(), big: hostile('lists-50-mb') });
		const client = await served.client();
		const { tools } = await client.request('tools/list', {}, { timeoutMs: 60_000 });
		const names = (tools as { name: string }[]).map(({ name }) => name);
		expect(names).toContain('gate__echo');
		expect(names.filter((name) => name.startsWith('big__'))).toEqual([]);
		const isRefused = (line: string): boolean =>
			/the response has 5\d{7} characters; this request takes at most 8388608/.test(line);
		await until('the refusal is logged', () => served.log.some(isRefused));
		expect(await client.call('gate__echo', { text: 'hi' })).toBe('hi');
	});
});

describe.each([
	['lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
	['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
])('arguments with 100,000 %s in each other', (_kind, deep) => {
	const expected = { code: -32602, message: 'the arguments are nested deeper than 512 levels' };

	it.each(['all', 'search'])(
		'are refused with the reason, for a client that sees tools by %s',
		async (expose) => {
			const served = await serveServers({ gate: gateway() }, { more: { toolList: { expose } } });
			const client = await served.client();
			const input = { x: new JsonText(deep) };
			expect(await client.failure('gate__echo', input)).toMatchObject(expected);
			const inner = { name: 'gate__echo', arguments: input };
			expect(await client.failure('call_tool', inner)).toMatchObject(expected);
			expect(await client.call('gate__echo', { text: 'hi' })).toBe('hi');
		},
	);

	it('are refused with the reason over HTTP', async () => {
		const served = await serveServers({ gate: gateway() });
		const { url } = await openListener({ provider: served.opened.hub });
		const request = modernRequest('tools/call', { name: 'gate__echo', arguments: { x: 'deep' } });
		const body = JSON.stringify(request.body).replace('"deep"', deep);
		expect((await (await send(url, { ...request, body })).json()).error).toMatchObject(expected);
	});
});

it('arguments with 500 lists in each other reach the server', async () => {
	const client = await (await serveServers({ gate: gateway() })).client();
	const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
	const line = await client.call('gate__line', { x: new JsonText(deep), filler: 'x'.repeat(2000) });
	expect(line).toContain(deep);
});
