/* Which project a bridge serves: that of the client's roots, of its variables, or of its folder. With the official SDK, real bridges and hubs. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
	ListRootsRequestSchema,
	ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentProgram, runAgent } from '../support/agents.ts';
import { runsAllTests, someOf } from '../support/all-tests.ts';
import { main, mctl } from '../support/mctl.ts';
import { livingWith } from '../support/programs.ts';
import { deferred, until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

/** A server with one tool, which answers when a file is there. */
const SERVER = `
import { existsSync, watch } from 'node:fs';
import { createInterface } from 'node:readline';
const [name, folder] = process.argv.slice(2);
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const answered = (id) => send(id, { content: [{ type: 'text', text: name }] });
for await (const line of createInterface({ input: process.stdin })) {
	const { id, method } = JSON.parse(line);
	if (id === undefined) continue;
	if (method === 'initialize') send(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name, version: '1' } });
	else if (method === 'tools/list') send(id, { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] });
	else if (method === 'tools/call') {
		const watcher = watch(folder, () => { if (existsSync(folder + '/go')) { watcher.close(); answered(id); } });
	} else console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no ' + method } }));
}
`;

describe('the project of a bridge that is started in the home folder', () => {
	it('is that of the first root of the client with a project file', async () => {
		const place = openPlace();
		const roots = ['nothing-here', 'one', 'two'].map((name) => join(place.home, name));
		const { client } = await connect(place, { roots: () => Promise.resolve(roots) });
		await expectTools(client, ['one__wait', 'user__wait']);
	});

	it('is found from a folder below it, and from a path that a URI escapes', async () => {
		const place = openPlace();
		const { client } = await connect(place, { roots: async () => [join(place.home, 'two', 'a folder')] });
		await expectTools(client, ['two__wait', 'user__wait']);
	});

	it.each(
		someOf<[string, () => Promise<string[]>]>([
			['none', async () => []],
			['a folder of another machine', async () => ['/nowhere/at/all']],
			['an error', () => Promise.reject(new Error('no roots today'))],
		]),
	)('is none when the roots are %s', async (_, roots) => {
		const { client } = await connect(openPlace(), { roots });
		await expectTools(client, ['user__wait']);
	});

	it('is that of CLAUDE_PROJECT_DIR or WORKSPACE_FOLDER_PATHS, without roots', async () => {
		const place = openPlace();
		const variables = [
			{ CLAUDE_PROJECT_DIR: join(place.home, 'one') },
			{ WORKSPACE_FOLDER_PATHS: join(place.home, 'one') },
			{ WORKSPACE_FOLDER_PATHS: `${join(place.home, 'nothing-here')},${join(place.home, 'one')}` },
			{ WORKSPACE_FOLDER_PATHS: JSON.stringify([join(place.home, 'one')]) },
		];
		for (const env of someOf(variables)) {
			const { client } = await connect(place, { env });
			await expectTools(client, ['one__wait', 'user__wait']);
		}
		const { client } = await connect(place, { env: { CLAUDE_PROJECT_DIR: '/nowhere' } });
		await expectTools(client, ['user__wait']);
	});

	it.runIf(runsAllTests)('is that of its roots, whatever a variable says', async () => {
		const place = openPlace();
		const env = { CLAUDE_PROJECT_DIR: join(place.home, 'one') };
		const { client } = await connect(place, { env, roots: async () => [join(place.home, 'two')] });
		await expectTools(client, ['two__wait', 'user__wait']);
	});

	it('starts nothing of a project that is not trusted', async () => {
		const place = openPlace();
		const roots = async (): Promise<string[]> => [join(place.home, 'one')];
		const { client, stderr } = await connect(place, { roots, env: { ORCHESTRA_TRUST: '' } });
		await expectTools(client, ['user__wait']);
		expect(stderr()).toContain('mctl trust');
	});
});

describe('a client that is slow to tell its roots', () => {
	it('gets the list of its folder, and the other one after its answer', async () => {
		const place = openPlace();
		const answer = deferred<string[]>();
		const changed = deferred();
		const { client } = await connect(place, { roots: () => answer.promise });
		client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
		await expectTools(client, ['user__wait']);
		answer.resolve([join(place.home, 'one')]);
		await changed.promise;
		await expectTools(client, ['one__wait', 'user__wait']);
	});

	it.runIf(runsAllTests)('loses no call that runs meanwhile', async () => {
		const place = openPlace();
		const answer = deferred<string[]>();
		const { client } = await connect(place, { roots: () => answer.promise });
		await toolsOf(client);
		const called = client.callTool({ name: 'user__wait' });
		answer.resolve([join(place.home, 'one')]);
		await expectTools(client, ['user__wait']);
		writeFileSync(join(place.home, 'gate', 'go'), '');
		expect(await called).toMatchObject({ content: [{ text: 'user' }] });
		await until('the project is served', async () => (await toolsOf(client)).includes('one__wait'));
	});
});

describe('the real Claude Code, whose server changes to another folder', () => {
	const hasClaude = agentProgram('claude') !== undefined;
	if (!hasClaude) it.skip('claude is not installed: set ORCHESTRA_AGENTS to a folder with it');

	it.runIf(hasClaude).each(['', 'env -u CLAUDE_PROJECT_DIR'])(
		'gets the hub of the project it works in (%j)',
		async (wrapper) => {
			const { home, env } = openPlace();
			const project = join(home, 'one');
			const command = `cd '${home}'; exec ${wrapper} '${process.execPath}' '${main}' bridge`;
			const agent = { home, project, env, files: {} };
			await runAgent('claude', ['mcp', 'add', 'orchestra', '-s', 'user', '--', 'sh', '-c', command], agent);
			expect(await runAgent('claude', ['mcp', 'list'], agent)).toContain('Connected');
			const { stdout } = await mctl(['hub', 'ls', '--json'], { cwd: home, env });
			const { hubs } = JSON.parse(stdout);
			expect(hubs.map((hub: { root: string }) => hub.root)).toContain(project);
		},
		180_000,
	);
});

interface Place {
	readonly home: string;
	readonly env: Record<string, string>;
}

/** A home with a server of the user, and two projects with one each. */
function openPlace(): Place {
	const home = realpathSync(temporaryFolder());
	const server = join(home, 'server.mjs');
	const gate = join(home, 'gate');
	const configured = (name: string): string =>
		JSON.stringify({ mcpServers: { [name]: { command: process.execPath, args: [server, name, gate] } } });
	writeFiles(home, {
		'server.mjs': SERVER,
		'.config/orchestra/config.json': configured('user'),
		'one/orchestra.json': configured('one'),
		'two/orchestra.json': configured('two'),
		'nothing-here/README.md': '',
	});
	for (const folder of [gate, join(home, 'two', 'a folder')]) mkdirSync(folder);
	const env = { HOME: home, PATH: process.env['PATH'] ?? '', ORCHESTRA_TRUST: 'all' };
	onTestFinished(async () => {
		await mctl(['hub', 'stop', '--all', '--force'], { cwd: home, env });
		await until('nothing with this home is left', () => livingWith('HOME', home).length === 0);
	});
	return { home, env };
}

interface Connection {
	/** Paths; without it the client has no roots. */
	readonly roots?: () => Promise<string[]>;
	readonly env?: Record<string, string>;
}

interface Connected {
	readonly client: Client;
	stderr(): string;
}

async function connect({ home, env }: Place, { roots, env: more }: Connection): Promise<Connected> {
	const capabilities = roots === undefined ? {} : { roots: {} };
	const client = new Client({ name: 'test', version: '1' }, { capabilities });
	if (roots)
		client.setRequestHandler(ListRootsRequestSchema, async () => ({
			roots: (await roots()).map((path) => ({ uri: pathToFileURL(path).href })),
		}));
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [main, 'bridge'],
		cwd: home,
		env: { ...env, ...more },
		stderr: 'pipe',
	});
	let stderr = '';
	transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	await client.connect(transport);
	onTestFinished(() => client.close());
	return { client, stderr: () => stderr };
}

/** A server that is new and slow to start is missing in a first list. */
async function expectTools(client: Client, names: readonly string[]): Promise<void> {
	await until('the servers are listed', async () => (await toolsOf(client)).length >= names.length);
	expect(await toolsOf(client)).toEqual(names);
}

async function toolsOf(client: Client): Promise<string[]> {
	const { tools } = await client.listTools();
	return tools.map(({ name }) => name).toSorted();
}
