/* A server of the hub with `"record": true`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exchangesOf } from '../../src/record/exchanges.ts';
import { readRecordings } from '../../src/record/read-recording.ts';
import { listRecordings, recordingsOfCall } from '../../src/record/recording-files.ts';
import { modernRequest, send } from '../support/http-listener.ts';
import { openHubPlace } from '../support/hub-place.ts';
import type { Wire } from '../support/raw-client.ts';
import { gateway, serveServers } from '../support/served-hub.ts';
import { writeFiles } from '../support/workspace.ts';

describe('a server with "record": true', () => {
	it('is recorded by the hub, in a private file, and others are not', async () => {
		const served = await serveServers({ one: gateway({ record: true }), two: gateway() });
		const client = await served.client();
		const startedAt = new Date();
		expect(await client.call('one__echo', { text: 'kept' })).toBe('kept');
		expect(await client.call('two__echo', { text: 'not kept' })).toBe('not kept');
		await served.close();
		const folder = join(served.folder, 'state/orchestra/recordings');
		const files = listRecordings(folder);
		expect(new Set(files.map(({ server }) => server))).toEqual(new Set(['one']));
		const calls = exchangesOf(readRecordings(files[0]?.file ?? '')).filter(
			({ method }) => method === 'tools/call',
		);
		expect(calls).toMatchObject([
			{ params: { name: 'echo' }, answer: { text: expect.stringContaining('kept') } },
		]);
		const ms = Date.now() - startedAt.getTime();
		expect(recordingsOfCall(folder, { server: 'one', startedAt, ms })).toHaveLength(1);
	});

	it('has no value of its environment that is a secret', async () => {
		const secret = 'kept-in-a-safe-9876';
		const served = await serveServers({ one: gateway({ record: true }, 'normal', { API_TOKEN: secret }) });
		const client = await served.client();
		expect(await client.call('one__echo', { text: `it is ${secret}` })).toContain(secret);
		await served.close();
		const [found] = listRecordings(join(served.folder, 'state/orchestra/recordings'));
		const text = readFileSync(found?.file ?? '', 'utf8');
		expect(text).not.toContain(secret);
		expect(text).toContain('it is •••');
	});

	it('has the command that replays a call in the details of the call', async () => {
		const one = gateway({ record: true }, 'normal', { STARTS: '/dev/null' });
		const place = openHubPlace({ mcpServers: { one } });
		const { httpUrl } = JSON.parse((await place.run('hub', 'start', '--http', '--json')).stdout);
		const token = (await place.run('hub', 'token')).stdout.trim();
		const call = modernRequest('tools/call', { name: 'one__echo', arguments: { text: 'x' } });
		await (await send(httpUrl, { ...call, token })).text();
		const get = async (path: string): Promise<Wire> =>
			(await send(new URL(path, httpUrl).href, { method: 'GET', token })).json();
		const { rows } = await get('/api/calls');
		const [row] = rows as unknown as { number: number }[];
		expect(await get(`/api/calls/${row?.number}`)).toMatchObject({
			replay: expect.stringMatching(/^mctl replay \S+\/one\.\S+\.ndjson --against one$/),
		});
	});

	it('works without a recording when the folder cannot be used', async () => {
		const served = await serveServers({ one: gateway({ record: true }) });
		writeFiles(served.folder, { 'state/orchestra/recordings': 'a file' });
		const client = await served.client();
		expect(await client.call('one__echo', { text: 'x' })).toBe('x');
		expect(served.log.join('')).toContain('one is not recorded');
	});
});
