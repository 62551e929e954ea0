/* The library through `mctl serve`, with real clients of the official SDK in both eras. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { Client } from '../../src/transport/client.ts';
import { OrchestraClientTransport } from '../../src/transport/sdk/sdk-transport.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
const clients: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
	await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe('the library through mctl serve', () => {
	it.each(['legacy', 'modern'])(
		'is listed, read, completed and matched by the SDK 2.x client, %s',
		async (era) => {
			const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
			const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
			await client.connect(new OrchestraClientTransport(record(workspace()), {}));
			clients.push(client);
			const uris = (await client.listResources()).resources.map(({ uri }) => uri);
			expect(uris).toContain('orchestr8://guides/retry');
			expect(await client.readResource({ uri: 'orchestr8://guides/retry' })).toMatchObject({
				contents: [{ mimeType: 'text/markdown', text: expect.stringContaining('# Retry a call') }],
			});
			const match = await client.readResource({
				uri: 'orchestr8://match?query=try+again+after+a+failure&mode=full',
			});
			expect(JSON.stringify(match.contents)).toContain('orchestr8://guides/retry');
			expect(await client.getPrompt({ name: 'hello', arguments: { who: 'Ada' } })).toMatchObject({
				messages: [{ content: { text: expect.stringContaining('Hello Ada') } }],
			});
			const templates = (await client.listResourceTemplates()).resourceTemplates.map(
				({ uriTemplate }) => uriTemplate,
			);
			expect(templates).toContain('orchestr8://{category}/{+id}');
			const { completion } = await client.complete({
				ref: { type: 'ref/resource', uri: 'orchestr8://{category}/{+id}' },
				argument: { name: 'category', value: 'g' },
			});
			expect(completion.values).toContain('guides');
		},
	);

	it('answers a missing resource with -32602 and without a local path', async () => {
		const client = await serve(workspace());
		await expect(
			client.request('resources/read', { uri: 'orchestr8://guides/../../etc/passwd' }),
		).rejects.toThrow(/-32602: Resource not found: orchestr8:\/\/guides\/\.\.\/\.\.\/etc\/passwd$/);
	});

	it('logs what it loads in order, then that it started, and each resource at debug', async () => {
		const lines: string[] = [];
		const log = (chunk: Buffer): void => void lines.push(...chunk.toString().trimEnd().split('\n'));
		const has = (text: string): boolean => lines.some((line) => line.includes(text));
		const debug = { ...record(workspace()), env: { ORCHESTRA_TRUST: 'all', LOG_LEVEL: 'debug' } };
		const client = await Client.open(debug, { stderr: log });
		clients.push(client);
		await client.request('resources/read', { uri: 'orchestr8://guides/retry' });
		await until('it has started', () => has('orchestra started successfully'));
		const shown = lines.flatMap(
			(line) =>
				/\[INFO\] \[\w+\] (Starting|Loaded .*|Resource index .*|orchestra started .*)/.exec(line)?.[1] ?? [],
		);
		expect(shown).toEqual([
			'Starting',
			'Loaded 1 prompts',
			'Loaded 1 resources',
			'Resource index pre-loaded for dynamic matching',
			'orchestra started successfully',
		]);
		expect(lines.filter((line) => line.includes('Loading resource:'))).toEqual([
			expect.stringMatching(/\[DEBUG\] \[library\] Loading resource: orchestr8:\/\/guides\/retry$/),
		]);
	});

	it('serves a changed file at once and notifies its subscribers', async () => {
		const folder = workspace();
		const received: string[] = [];
		const client = await serve(folder, (method, params) =>
			received.push(`${method} ${JSON.stringify(params ?? {})}`),
		);
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		const uri = 'orchestr8://guides/retry';
		await client.request('resources/read', { uri });
		await client.request('resources/subscribe', { uri });
		writeFileSync(join(folder, 'resources/guides/retry.md'), '# Retry\n\nWait twice as long.\n');
		await until('it is announced', () =>
			received.includes(`notifications/resources/updated {"uri":"${uri}"}`),
		);
		expect(JSON.stringify(await client.request('resources/read', { uri }))).toContain('Wait twice as long.');
		writeFileSync(join(folder, 'resources/guides/new.md'), '# New\n');
		await until('the new file is listed', async () =>
			JSON.stringify(await client.request('resources/list')).includes('orchestr8://guides/new'),
		);
		await until('the change of the list is announced', () =>
			received.some((line) => line.startsWith('notifications/resources/list_changed')),
		);
	});
});

function workspace(): string {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'resources/guides'), { recursive: true });
	mkdirSync(join(folder, 'prompts'));
	writeFileSync(
		join(folder, 'resources/guides/retry.md'),
		'# Retry a call\n\nTry again after a failure, and wait longer each time.\n',
	);
	writeFileSync(
		join(folder, 'prompts/hello.md'),
		'---\narguments:\n  - name: who\n    required: true\n---\nHello {{who}}\n',
	);
	return folder;
}

function record(cwd: string): SpawnRecord {
	return { command: process.execPath, args: [main, 'serve'], cwd, env: { ORCHESTRA_TRUST: 'all' } };
}

async function serve(
	cwd: string,
	onNotification?: (method: string, params: unknown) => void,
): Promise<Client> {
	const client = await Client.open(record(cwd), onNotification ? { onNotification } : {});
	clients.push(client);
	return client;
}
