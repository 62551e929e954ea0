/* Sessions of real clients with real servers, recorded by the built mctl and replayed to identical answers. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { sdkServer } from '../support/interop-servers.ts';
import { main, mctl } from '../support/mctl.ts';
import { type Judge, type JudgeMode, openJudge } from '../support/official-clients.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const everything = resolve(
	import.meta.dirname,
	'../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

describe('a recorded session', () => {
	it.each<[JudgeMode, string, readonly string[]]>([
		['SDK v1', 'server-everything', [process.execPath, everything]],
		['SDK v2 legacy', 'server-everything', [process.execPath, everything]],
		['SDK v1', 'SDK v1', words(sdkServer('v1', 'one'))],
		['SDK v2 auto', 'SDK v2, modern', words(sdkServer('v2', 'one', 'modern'))],
		['SDK v2 pinned', 'SDK v2, modern', words(sdkServer('v2', 'one', 'modern'))],
	])('of %s with %s replays to identical answers', async (mode, server, command) => {
		const folder = temporaryFolder();
		const recordedAnswers = await session(await connect(mode, ['record', '--to', folder, '--', ...command]));
		const replayed = await connect(mode, ['replay', folder]);
		expect(await session(replayed)).toEqual(recordedAnswers);
		expect(recordedAnswers.join('\n')).toContain(server === 'server-everything' ? 'Echo: hi' : 'hi');
	});

	it('has the same answers from the server that was recorded, and others from another', async () => {
		const folder = temporaryFolder();
		await session(await connect('SDK v1', ['record', '--to', folder, '--', process.execPath, everything]));
		const file = await recordingIn(folder);
		const again = await mctl(['replay', file, '--json', '--', process.execPath, everything]);
		expect(JSON.parse(again.stdout)).toMatchObject({ schema: 'orchestra.replay/1', different: 0 });
		expect(again.code).toBe(0);
		const other = words(sdkServer('v1', 'one'));
		const changed = await mctl(['replay', file, '--', ...other]);
		expect(changed.stdout).toContain('  - "Echo: hi"\n');
		expect(changed.code).toBe(1);
		const cwd = writeFiles(temporaryFolder(), {
			'orchestra.json': JSON.stringify({ mcpServers: { it: { command: other[0], args: other.slice(1) } } }),
		});
		const named = await mctl(['replay', file, '--against', 'it'], { cwd, env: { ORCHESTRA_TRUST: 'all' } });
		expect([named.code, named.stdout]).toEqual([1, changed.stdout]);
	});

	it('is private, has no secret of the environment, and replays calls with that secret', async () => {
		const folder = join(temporaryFolder(), 'new');
		const secret = 'a1b2c3d4e5f6g7h8';
		const input = lines(initialize, callEcho(2, `the key is ${secret}!`));
		const env = { SOME_API_KEY: secret };
		const first = await mctl(['record', '--to', folder, '--', process.execPath, gateway], { input, env });
		expect(first.stdout).toContain(secret);
		const file = await recordingIn(folder);
		expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
		expect(readFileSync(file, 'utf8')).not.toContain(secret);
		const replayed = await mctl(['replay', file], { input });
		expect(resultOf(replayed.stdout, 2)).toEqual({ content: [{ type: 'text', text: 'the key is •••!' }] });
	});

	it('answers a request that was not recorded with an error that names it', async () => {
		const folder = temporaryFolder();
		const input = lines(initialize, callEcho(2, 'hi'));
		await mctl(['record', '--to', folder, '--', process.execPath, gateway], { input });
		const file = await recordingIn(folder);
		const { stdout } = await mctl(['replay', file], {
			input: lines(initialize, callEcho(2, 'ho'), callEcho(3, 'hi'), callEcho(4, 'hi'), {
				...callEcho(5, ''),
				method: 'prompts/list',
			}),
		});
		expect(errorOf(stdout, 2)).toMatchObject({
			code: -32602,
			message: 'tools/call of echo was not recorded with these params',
		});
		expect(resultOf(stdout, 3)).toEqual({ content: [{ type: 'text', text: 'hi' }] });
		expect(errorOf(stdout, 4).message).toContain('more often than it was recorded');
		expect(errorOf(stdout, 5)).toMatchObject({ code: -32601 });
	});
});

describe('mctl record', () => {
	it('passes bytes and exit code of the program on', async () => {
		const folder = temporaryFolder();
		const script =
			'process.stdin.resume().on("end", () => { console.log("{\\"a\\": 1.0}"); process.exit(3) })';
		const { stdout, code } = await mctl(['record', '--to', folder, '--', process.execPath, '-e', script]);
		expect([stdout, code]).toEqual(['{"a": 1.0}\n', 3]);
	});

	it.runIf(runsAllTests)('ends with a client that disconnects, although the program does not', async () => {
		const folder = temporaryFolder();
		const script = 'setInterval(() => {}, 1000)';
		const { code, signal } = await mctl(['record', '--to', folder, '--', process.execPath, '-e', script]);
		expect([code === null, signal]).toEqual([false, null]);
	});

	it('reports a program that does not exist, and a folder that cannot be made', async () => {
		const missing = await mctl(['record', '--to', temporaryFolder(), '--', 'no-such-program-here']);
		expect([missing.code, missing.stderr]).toEqual([69, expect.stringContaining('no-such-program-here')]);
		const file = join(writeFiles(temporaryFolder(), { file: '' }), 'file/below');
		const folder = await mctl(['record', '--to', file, '--', process.execPath, gateway]);
		expect(folder.code).toBe(69);
		expect(folder.stderr).toContain('cannot be made');
	});

	it.runIf(runsAllTests)('without a command serves this folder and records its servers', async () => {
		const to = temporaryFolder();
		const one = { command: process.execPath, args: [gateway] };
		const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify({ mcpServers: { one } }) });
		const env = { XDG_STATE_HOME: join(cwd, 'state'), HOME: cwd, ORCHESTRA_TRUST: 'all' };
		const call = {
			...callEcho(2, 'through the hub'),
			params: { name: 'one__echo', arguments: { text: 'x' } },
		};
		const { stdout } = await mctl(['record', '--to', to], { cwd, env, input: lines(initialize, call) });
		expect(resultOf(stdout, 2)).toMatchObject({ content: [{ text: 'x' }] });
		const files = readdirSync(to).map((name) => readFileSync(join(to, name), 'utf8'));
		expect(files.join('')).toContain('"method":"tools/call"');
		expect(readdirSync(to).every((name) => name.startsWith('one.'))).toBe(true);
	});
});

const gateway = resolve(import.meta.dirname, '../fixtures/servers/gateway-server.mjs');
const initialize = {
	jsonrpc: '2.0',
	id: 1,
	method: 'initialize',
	params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function callEcho(id: number, text: string): { id: number; method: string; params: object } & object {
	return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } } as never;
}

function lines(...messages: object[]): string {
	return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

interface Answer {
	id: number;
	result: unknown;
	error: { code: number; message: string };
}

function answerTo(stdout: string, id: number): Answer {
	const answers = stdout.split('\n').filter((line) => line !== '');
	return answers.map((line): Answer => JSON.parse(line)).find((answer) => answer.id === id) as Answer;
}

function resultOf(stdout: string, id: number): unknown {
	return answerTo(stdout, id).result;
}

function errorOf(stdout: string, id: number): Answer['error'] {
	return answerTo(stdout, id).error;
}

function words({ command, args }: { command: string; args: readonly string[] }): string[] {
	return [command, ...args];
}

function connect(mode: JudgeMode, args: readonly string[]): Promise<Judge> {
	const options = { command: process.execPath, args: [main, ...args], stderr: 'ignore' as const };
	return openJudge(mode, { v1: () => new StdioV1(options), v2: () => new StdioV2(options) });
}

/** What a client asks, and what it gets. Progress is left out: these clients lose what comes together with a result. */
async function session(judge: Judge): Promise<unknown[]> {
	const tried = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => String(error));
	const names = await judge.toolNames();
	const said = names.includes('get-sum') ? { message: 'hi' } : { text: 'hi' };
	return [
		judge.version,
		names,
		await tried(judge.call('echo', said)),
		await tried(judge.call('echo', said)),
		await tried(judge.call(names.includes('sum') ? 'sum' : 'get-sum', { a: 2, b: 40 })),
		await tried(judge.call('echo', { wrong: true })),
		await tried(judge.call('no-such-tool')),
		await tried(judge.readText('no://such-resource')),
		await tried(judge.toolNames()),
		await tried(judge.call('ask')),
	];
}

/** The recording, once its last line is written. */
async function recordingIn(folder: string): Promise<string> {
	await until('there is a recording', () => readdirSync(folder).length === 1);
	return join(folder, readdirSync(folder)[0] ?? '');
}
