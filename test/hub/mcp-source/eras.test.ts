/* Servers and clients of both eras through one hub, and servers that others wrote. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client as SdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HubClientOptions, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const root = resolve(import.meta.dirname, '../../..');
const fixture = (file: string): object => ({
	command: process.execPath,
	args: [join(root, 'test/fixtures', file)],
});
const installed = (name: string, ...args: string[]): object => ({
	command: process.execPath,
	args: [join(root, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'), ...args],
});
const ann: HubClientOptions = {
	capabilities: { elicitation: { form: {} } },
	onClientRequest: () => ({ action: 'accept', content: { name: 'Ann' } }),
};

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
	it.each(['mcp-server.mjs', 'sdk-server-v1.mjs', 'sdk-server-v2.mjs'])('calls %s', async (file) => {
		const client = await (await serveServers({ own: fixture(file) })).client({ era });
		expect(await client.call('own__echo', { text: 'hi' })).toBe('hi');
	});

	it('gets progress of a modern server before the result, and cancels a call', async () => {
		const client = await (await serveServers({ own: fixture('mcp-server.mjs') })).client({ era });
		await client.call('own__echo', { text: 'x' });
		const progress: unknown[] = [];
		const working = client.call('own__work', {}, { onProgress: (params: unknown) => progress.push(params) });
		await until('all progress is received', () => progress.length === 3);
		await client.call('own__go');
		expect(await working).toBe('done');
		const abort = new AbortController();
		const hanging = client.call('own__hang', {}, { signal: abort.signal });
		abort.abort();
		await expect(hanging).rejects.toMatchObject({ code: 'canceled' });
		expect(await client.call('own__echo', { text: 'still there' })).toBe('still there');
	});
});

it('a server of both eras that was too slow for one probe is modern at its next start', async () => {
	const mark = join(temporaryFolder(), 'mark');
	const script = `test -e ${mark} || { : >${mark}; sleep 3; }; exec "$0" "$1"`;
	const { command, args } = fixture('mcp-server.mjs') as { command: string; args: string[] };
	const first = await serveServers({ own: { command: 'sh', args: ['-c', script, command, ...args] } });
	const client = await first.client();
	expect(await client.call('own__echo', { text: 'one' })).toBe('one');
	await client.request('tools/list');
	expect(eraOf(first)).toBe('legacy');
	const second = await first.again();
	expect(await (await second.client()).call('own__echo', { text: 'two' })).toBe('two');
	await until('it is known as modern', () => eraOf(second) === 'modern');
});

function eraOf({ opened }: ServedHub): string | null | undefined {
	return opened.hub.sources.find(({ id }) => id === 'own')?.status.era;
}

describe('an elicitation of a modern server', () => {
	it('is asked of a legacy client as a request, and the call is made again with the answer', async () => {
		const client = await (await serveServers({ own: fixture('mcp-server.mjs') })).client(ann);
		expect(await client.call('own__greet')).toBe('Hello, Ann!');
	});

	it('is passed on to a modern client, and its retry to the server', async () => {
		const served = await serveServers({ own: fixture('mcp-server.mjs') });
		const client = await served.client({ ...ann, era: 'modern' });
		const call = { name: 'own__greet', arguments: {} };
		const elicited = await client.request('tools/call', call);
		const keys = Object.keys(elicited['inputRequests'] as object);
		expect(keys).toHaveLength(1);
		const inputResponses = { [keys[0] ?? '']: { action: 'accept', content: { name: 'Ann' } } };
		const { requestState } = elicited as { requestState: string };
		const result = await client.request('tools/call', { ...call, requestState, inputResponses });
		expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ann!' }] });
	});

	it('that the client cannot answer is an error of the call', async () => {
		const client = await (await serveServers({ own: fixture('mcp-server.mjs') })).client();
		expect((await client.failure('own__greet')).message).toContain('elicitation');
	});
});

describe('the official client and mctl serve', () => {
	it('use the reference servers', async () => {
		const folder = temporaryFolder();
		writeFiles(folder, {
			'work/orchestra.json': JSON.stringify({
				limits: { listMs: 20_000 },
				mcpServers: {
					every: installed('everything'),
					files: installed('filesystem', '.'),
					memory: { ...installed('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
				},
			}),
			'work/a.txt': 'the content',
		});
		const client = await sdkClient(join(folder, 'work'), folder);
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual(
			expect.arrayContaining(['every__echo', 'files__read_text_file', 'memory__create_entities']),
		);
		const read = await client.callTool({ name: 'files__read_text_file', arguments: { path: 'a.txt' } });
		expect(read.content).toEqual([{ type: 'text', text: 'the content' }]);
		const entity = { name: 'Ann', entityType: 'person', observations: ['is here'] };
		await client.callTool({ name: 'memory__create_entities', arguments: { entities: [entity] } });
		expect(readFileSync(join(folder, 'memory.json'), 'utf8')).toContain('is here');
		const steps: number[] = [];
		await client.callTool(
			{ name: 'every__trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } },
			undefined,
			{ onprogress: ({ progress }) => void steps.push(progress) },
		);
		// This client drops progress that arrives together with the result.
		expect(steps[0]).toBe(1);
		const { contents } = await client.readResource({ uri: 'demo://resource/dynamic/text/1' });
		expect(contents).toHaveLength(1);
	});
});

async function sdkClient(cwd: string, home: string): Promise<SdkClient> {
	const client = new SdkClient({ name: 'test', version: '1' });
	const env = {
		PATH: process.env['PATH'] ?? '',
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		ORCHESTRA_TRUST: 'all',
	};
	const args = [join(root, 'dist/cli/main.js'), 'serve'];
	await client.connect(
		new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }),
	);
	onTestFinished(() => client.close());
	return client;
}
