/*
 * The reference servers as people configure them, behind `mctl serve`, with every official client in front, and
 * behind `mctl bridge` with one client of each era.
 */
import { expect, it, onTestFinished } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { type Judge, judges } from '../support/judges.ts';
import { main } from '../support/mctl.ts';
import { installedServer } from '../support/servers.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const ofEachEra = ['SDK v1', 'SDK v2, pinned to 2026-07-28'];
const pairs = Object.entries(judges).flatMap(([name, open]) => [
	{ name, command: 'serve', open },
	...(ofEachEra.includes(name) ? [{ name, command: 'bridge', open }] : []),
]);

/** In a short run: a client of one era through `serve`, and of the other through `bridge`. */
const some = pairs.filter(
	({ name, command }) => name === (command === 'bridge' ? ofEachEra[0] : ofEachEra[1]),
);

it.each(runsAllTests ? pairs : some.slice(-1))(
	'$name uses the reference servers through mctl $command',
	async ({ command, open }) => {
		const folder = writeFiles(temporaryFolder(), { 'a.txt': 'content of a' });
		const memory = { env: { MEMORY_FILE_PATH: `${folder}/memory.json` } };
		const { cwd, env } = openHubPlace({
			mcpServers: {
				everything: { ...installedServer('everything'), scope: 'session' },
				files: installedServer('filesystem', folder),
				memory: { ...installedServer('memory'), ...memory },
				thinking: installedServer('sequential-thinking'),
			},
			limits: { listMs: 30_000 },
		});
		const path = process.env['PATH'] ?? '';
		const judge = await open({
			command: process.execPath,
			args: [main, command],
			cwd,
			env: { PATH: path, ...env },
			stderr: 'ignore',
		});
		onTestFinished(() => judge.client.close());
		await Promise.all([usesFiles(judge, folder), usesMemory(judge), thinks(judge), usesEverything(judge)]);
		if (command === 'bridge') await answersEverything(judge);
	},
);

async function usesFiles(judge: Judge, folder: string): Promise<void> {
	expect(await textOf(judge, 'files__read_text_file', { path: `${folder}/a.txt` })).toBe('content of a');
	const refused = await judge.client.callTool({
		name: 'files__read_text_file',
		arguments: { path: '/etc/hosts' },
	});
	expect(refused).toMatchObject({ isError: true });
}

async function usesMemory(judge: Judge): Promise<void> {
	const entities = [{ name: 'Ann', entityType: 'person', observations: ['writes tests'] }];
	await judge.client.callTool({ name: 'memory__create_entities', arguments: { entities } });
	const found = await judge.client.callTool({ name: 'memory__search_nodes', arguments: { query: 'ann' } });
	expect(found).toMatchObject({ structuredContent: { entities } });
}

async function thinks(judge: Judge): Promise<void> {
	const thought = { thought: 'First', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
	const result = await judge.client.callTool({ name: 'thinking__sequentialthinking', arguments: thought });
	expect(result).toMatchObject({ structuredContent: { thoughtNumber: 1, totalThoughts: 2 } });
}

async function usesEverything(judge: Judge): Promise<void> {
	const { client } = judge;
	expect(await textOf(judge, 'everything__echo', { message: 'hi' })).toBe('Echo: hi');
	const progress: number[] = [];
	await client.callTool(
		{ name: 'everything__trigger-long-running-operation', arguments: { duration: 1, steps: 3 } },
		{ onprogress: (step) => void progress.push(step.progress) },
	);
	// The client reports rounds of questions as progress too, and drops progress that arrives with the result.
	expect(progress).toContain(2);
	const structured = await client.callTool({
		name: 'everything__get-structured-content',
		arguments: { location: 'New York' },
	});
	expect(structured).toMatchObject({ structuredContent: { conditions: expect.any(String) } });
	expect((await client.listResources()).resources.length).toBeGreaterThan(0);
	const { prompts } = await client.listPrompts();
	expect(prompts.map(({ name }) => name)).toContain('everything__simple-prompt');
	const ref = { type: 'ref/prompt' as const, name: 'everything__completable-prompt' };
	const { completion } = await client.complete({ ref, argument: { name: 'department', value: 'E' } });
	expect(completion.values).toContain('Engineering');
	await until('the tools that need a capability are listed', async () => {
		return (await client.listTools()).tools.some(({ name }) => name === 'everything__get-sum');
	});
}

/** What needs the client: questions, cancellation, a subscription, logs outside calls. */
async function answersEverything(judge: Judge): Promise<void> {
	expect(await textOf(judge, 'everything__trigger-elicitation-request')).toContain('User provided');
	expect(await textOf(judge, 'everything__trigger-sampling-request', { prompt: 'Hi' })).toContain(
		'Hello from the model',
	);
	expect(await textOf(judge, 'everything__get-roots-list')).toContain('file:///project');
	const abort = new AbortController();
	const long = {
		name: 'everything__trigger-long-running-operation',
		arguments: { duration: 60, steps: 600 },
	};
	const options = { signal: abort.signal, onprogress: () => abort.abort() };
	await expect(judge.client.callTool(long, options)).rejects.toThrow();
	const uri = 'demo://resource/dynamic/text/1';
	await judge.subscribe(uri);
	await textOf(judge, 'everything__toggle-subscriber-updates');
	await until('it is updated', () => judge.heard.includes(`updated ${uri}`));
	// The server logs it while no call is in flight; a modern client gets logs of its requests only.
	const isLogged = (): boolean => judge.heard.some((line) => line.includes('Received Subscribe Resource'));
	if (Object.keys(judge.meta).length === 0) await until('the subscription is logged', isLogged);
}

async function textOf({ client }: Judge, name: string, input: Record<string, unknown> = {}): Promise<string> {
	const { content } = (await client.callTool({ name, arguments: input })) as { content: { text: string }[] };
	return content[0]?.text ?? '';
}
