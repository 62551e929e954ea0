/* The client against servers that others wrote: the official SDKs, the reference servers, plain Python. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../../support/all-tests.ts';
import { clientOf, fixtureServer, installedServer } from '../../support/servers.ts';
import { deferred, until } from '../../support/waiting.ts';

const everything = installedServer('everything');
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('servers on the official SDKs', () => {
	it.each([
		['sdk-server-v1.mjs', undefined],
		['sdk-server-v1.mjs', 'legacy'],
		['sdk-server-v2.mjs', 'modern'],
		['sdk-server-v2.mjs', 'legacy'],
	] as const)('answer calls and errors: %s %s', async (file, knownEra) => {
		const client = await clientOf(fixtureServer(file), { knownEra });
		await client.ping();
		expect((await client.listTools()).tools).toMatchObject([{ name: 'echo' }]);
		expect(await client.callTool('echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
		expect((await client.listPrompts()).prompts).toEqual([]);
	});
});

describe('the reference server everything', () => {
	it('lists what it has, pages included', async () => {
		const client = await clientOf(everything);
		expect((await client.listTools()).tools.length).toBeGreaterThan(10);
		expect((await client.listPrompts()).prompts.length).toBeGreaterThan(2);
		expect((await client.listResources()).resources.length).toBeGreaterThan(0);
		expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
		expect(client.instructions).toBeTypeOf('string');
	});

	it.runIf(runsAllTests)('reports progress', async () => {
		const client = await clientOf(everything);
		const steps: number[] = [];
		const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress);
		await client.callTool('trigger-long-running-operation', { duration: 0.05, steps: 3 }, { onProgress });
		expect(steps).toEqual([1, 2, 3]);
	});

	it('gets answers to elicitation, sampling and roots', async () => {
		const roots = deferred();
		const client = await clientOf(everything, {
			elicit: () => ({ action: 'accept', content: { name: 'Ann', check: true } }),
			sample: () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'none' }),
			roots: () => {
				roots.resolve();
				return [{ uri: 'file:///work', name: 'work' }];
			},
		});
		const elicited = await client.callTool('trigger-elicitation-request');
		expect(JSON.stringify(elicited.content)).toContain('Ann');
		const sampled = await client.callTool('trigger-sampling-request', { prompt: 'hi', maxTokens: 5 });
		expect(JSON.stringify(sampled.content)).toContain('sampled');
		expect(JSON.stringify((await client.callTool('get-roots-list')).content)).toContain('file:///work');
		await roots.promise;
	});

	it('completes arguments with their context and gets the prompt', async () => {
		const client = await clientOf(everything);
		const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
		const context = { arguments: { department: 'Sales' } };
		const { values } = await client.complete({ ref, argument: { name: 'name', value: 'E' }, context });
		expect(values).toEqual(['Eve']);
		const prompt = await client.getPrompt('completable-prompt', { department: 'Sales', name: 'Eve' });
		expect(JSON.stringify(prompt.messages)).toContain('Eve');
	});

	it('reports updates of a subscribed resource, and logs', async () => {
		const client = await clientOf(everything);
		const changes: unknown[] = [];
		const logs: unknown[] = [];
		client.onChange((change) => change.kind === 'resource' && changes.push(change));
		client.onLog((message) => logs.push(message));
		await client.setLogLevel('debug');
		const uri = 'demo://resource/dynamic/text/1';
		await client.subscribe(uri);
		await client.callTool('toggle-subscriber-updates');
		await until('an update is received', () => changes.length > 0);
		expect(changes[0]).toEqual({ kind: 'resource', uri });
		expect(logs.length).toBeGreaterThan(0);
		await client.unsubscribe(uri);
	});

	it('gives structured content that fits its schema', async () => {
		const client = await clientOf(everything);
		await client.listTools();
		const { structuredContent } = await client.callTool('get-structured-content', { location: 'Chicago' });
		expect(structuredContent).toMatchObject({ conditions: expect.any(String) });
	});
});

describe('other servers', () => {
	it.runIf(runsAllTests).each(['memory', 'sequential-thinking'])('list their tools: %s', async (name) => {
		const client = await clientOf(installedServer(name));
		expect((await client.listTools()).tools.length).toBeGreaterThan(0);
	});

	it('read and refuse files: filesystem', async () => {
		const folder = join(import.meta.dirname, '../../fixtures/servers');
		const client = await clientOf(installedServer('filesystem', folder));
		const path = join(folder, 'python_server.py');
		expect(JSON.stringify(await client.callTool('read_text_file', { path }))).toContain('plain Python');
		expect(await client.callTool('read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true });
	});

	it.runIf(hasPython)('answer in plain Python, with print and a revision of 2024', async () => {
		const file = fixtureServer('servers/python_server.py').args?.[0] ?? '';
		const client = await clientOf({ command: 'python3', args: [file] });
		expect(client).toMatchObject({ era: 'legacy', revision: '2024-11-05', serverInfo: { name: 'python' } });
		expect((await client.listTools()).tools).toMatchObject([{ name: 'upper' }]);
		expect(await client.callTool('upper', { text: 'grün' })).toMatchObject({ content: [{ text: 'GRÜN' }] });
		expect(client.diagnose().process?.strayLines).toEqual(['python server is starting']);
	});
});
