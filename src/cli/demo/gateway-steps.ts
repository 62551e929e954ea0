/*
 * Steps that show the gateway: the servers of a client are imported, a server from npm
 * is called by two clients at once through the shared hub, and it survives a crash.
 *
 * The server is a development dependency, so a checkout has it after its installation
 * and the demo needs no network. An installed package has none, and the steps say so.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import type { Client } from '../../transport/client.ts';
import { DEMO_HEAL_MS } from '../cli-limits.ts';
import { type DemoFolder, type DemoInput, type DemoStep, expect, inFolder, joinedText } from './step.ts';

const SERVER = '@modelcontextprotocol/server-everything';

export const gatewaySteps: readonly DemoStep[] = [
	{ title: 'the MCP servers of a client are imported, and the client gets one entry', run: importClient },
	{ title: 'two clients share one server from npm, and it survives a crash', run: shareAndHeal },
	{ title: 'an agent searches all tools and calls the one it finds', run: searchTools },
];

function importClient(input: DemoInput): Promise<string[]> {
	return inFolder(input, async ({ path, run, servers }) => {
		const { project, clientFile } = await madeUpClient(path, 'server.js');
		const namesNow = async (): Promise<string> =>
			Object.keys(JSON.parse(await readFile(clientFile, 'utf8')).mcpServers).join();
		await run(['init', '--yes'], project);
		expect(await namesNow(), 'orchestra');
		expect((await servers(project)).map(({ name }) => name).join(), 'everything');
		await run(['init', '--undo'], project);
		expect(await namesNow(), 'everything');
		return ['~/.cursor/mcp.json: everything → orchestra; mctl init --undo puts it back'];
	});
}

/** The main file of the server; undefined where it is not installed. */
function serverFile(): string | undefined {
	const file = join(packageRoot(), 'node_modules', SERVER, 'dist/index.js');
	return existsSync(file) ? file : undefined;
}

const skipped = [`skipped: ${SERVER} is not installed; a checkout of the repository has it`];

async function shareAndHeal(input: DemoInput): Promise<string[]> {
	const file = serverFile();
	if (file === undefined) return skipped;
	return inFolder(input, async (demo) => {
		const { project } = await madeUpClient(demo.path, file);
		await demo.run(['init', '--yes'], project);
		const [one, other] = [await demo.start(['bridge'], project), await demo.start(['bridge'], project)];
		const sums = await Promise.all([sum(one, 0), sum(other, 1)]);
		const first = await serverPid(demo, project);
		process.kill(first, 'SIGKILL');
		const healed = await sumAfterCrash(one);
		const second = await serverPid(demo, project);
		expect(second === first, false);
		return [
			`2 clients → 1 hub → 1 server (pid ${first}): ${sums.join(' ')}`,
			`kill -9 ${first}, and the next call works (pid ${second}): ${healed}`,
		];
	});
}

async function searchTools(input: DemoInput): Promise<string[]> {
	const file = serverFile();
	if (file === undefined) return skipped;
	return inFolder(input, async ({ path, run, start }) => {
		const mcpServers = { everything: { command: process.execPath, args: [file] } };
		const toolList = { expose: 'search' };
		await writeFile(join(path, 'orchestra.json'), JSON.stringify({ mcpServers, toolList }));
		await run(['trust']);
		await run(['list', 'servers', '--check']);
		const client = await start(['serve', '--examples']);
		const listed = (await client.request('tools/list')) as { tools: { name: string }[] };
		expect(listed.tools.map(({ name }) => name).join(), 'find_tools,describe_tool,call_tool');
		const query = 'add two numbers';
		const found = joinedText(await call(client, 'find_tools', { query }));
		const name = /[\w-]+__[\w-]+/.exec(found)?.[0] ?? '';
		expect(name, 'everything__get-sum');
		const text = joinedText(await call(client, 'call_tool', { name, arguments: { a: 40, b: 2 } }));
		expect(text, 'The sum of 40 and 2 is 42.');
		return [`3 tools listed; find_tools "${query}" → ${name}; call_tool → ${text}`];
	});
}

function call(client: Client, name: string, args: object): Promise<unknown> {
	return client.request('tools/call', { name, arguments: args }, { timeoutMs: DEMO_HEAL_MS });
}

/** A client configuration with one server, in a home of its own. */
async function madeUpClient(folder: string, file: string): Promise<{ project: string; clientFile: string }> {
	const project = join(folder, 'project');
	const clientFile = join(folder, '.cursor', 'mcp.json');
	const everything = { command: process.execPath, args: [file] };
	await mkdir(project);
	await mkdir(join(folder, '.cursor'));
	await writeFile(clientFile, JSON.stringify({ mcpServers: { everything } }));
	return { project, clientFile };
}

async function sum(client: Client, at: number): Promise<string> {
	const text = joinedText(await call(client, 'everything__get-sum', { a: 40, b: at }));
	expect(text, `The sum of 40 and ${at} is ${40 + at}.`);
	return text;
}

/** The call may arrive before the hub has seen the crash; the error then says that its outcome is unknown. */
async function sumAfterCrash(client: Client): Promise<string> {
	const giveUpAt = performance.now() + DEMO_HEAL_MS;
	for (;;) {
		try {
			return await sum(client, 2);
		} catch (error) {
			if (performance.now() > giveUpAt) throw error;
			await new Promise((resolve) => setTimeout(resolve, 250));
		}
	}
}

async function serverPid({ servers }: DemoFolder, project: string): Promise<number> {
	const [server] = await servers(project);
	if (server?.pid) return server.pid;
	throw new Error(`the server does not run: ${JSON.stringify(server)}`);
}
