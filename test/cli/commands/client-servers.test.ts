/* The servers of MCP clients before they are imported: listed, shown, called, and imported one client at a time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJsonc } from '../../../src/config/jsonc.ts';
import { type ClientHome, clientHome, SECRET, snapshot } from '../../support/client-home.ts';
import { type MctlResult, mctl } from '../../support/mctl.ts';
import { writeFiles } from '../../support/workspace.ts';

describe('mctl list --clients', () => {
	it('shows every server of every client with its file and state, without secrets, and changes nothing', async () => {
		const place = clientHome();
		const before = snapshot(place.home);
		const { code, stdout, stderr } = await run(place, 'list', '--clients');
		expect([code, snapshot(place.home)]).toEqual([0, before]);
		expect(stdout).toMatch(/^SERVER +STATE +FILE +COMMAND\n/);
		expect(stdout).toMatch(/^cursor:files +not imported +~\/\.cursor\/mcp\.json +\S*node /m);
		expect(stdout).toMatch(
			/^windsurf:remote +disabled +~\/.*mcp_config\.json +https:\/\/mcp\.example\.com\/mcp/m,
		);
		expect(stdout).toMatch(/^vscode:asks +client only /m);
		expect(stderr).toContain('vscode:asks uses ${input:token}, which only this client can fill in');
		expect(stdout + stderr).not.toContain(SECRET);
	});

	it('tells what is imported and which entries are its own, in JSON too', async () => {
		const place = clientHome(/^\.cursor|windsurf/);
		await run(place, 'init', '--only', 'from-cursor', '--keep');
		const { clients } = JSON.parse((await run(place, 'list', '--clients', '--json')).stdout);
		const states = clients.map(({ name, state }: Record<string, string>) => [name, state]);
		expect(Object.fromEntries(states)).toEqual({
			'cursor:files': 'not imported',
			'cursor:from-cursor': 'imported',
			'cursor:orchestra': 'orchestra',
			'windsurf:from-windsurf': 'not imported',
			'windsurf:remote': 'disabled',
			'windsurf:orchestra': 'orchestra',
		});
		expect(clients[0]).toMatchObject({
			client: 'cursor',
			scope: 'user',
			file: join(place.home, '.cursor/mcp.json'),
		});
	});

	it('names a broken file, and says when there is none', async () => {
		const place = clientHome(/nothing/);
		expect((await run(place, 'list', '--clients')).stderr).toContain(
			'No MCP client of this machine has a server.',
		);
		writeFiles(place.home, { '.cursor/mcp.json': '{ oops' });
		expect((await run(place, 'list', '--clients')).stderr).toMatch(/mctl: .*\.cursor\/mcp\.json/);
	});
});

describe('a server of a client', () => {
	it.each([
		['claude-code:from-claude-code', 'claude-code'],
		['cursor:from-cursor-project', 'cursor-project'],
		['codex:from-codex', 'codex'],
		['continue:from-continue', 'continue'],
		['opencode:from-opencode', 'opencode'],
		['zed:from-zed', 'zed'],
	])('is called by %s before it is imported', async (server, name) => {
		const place = clientHome();
		const before = snapshot(place.home);
		const { code, stdout } = await run(place, 'call', server, 'echo', 'text=hello');
		expect([code, stdout]).toEqual([0, `${name} hello\n`]);
		expect(snapshot(place.home)).toEqual(before);
	});

	it('is shown with a call to copy', async () => {
		const { stdout } = await run(clientHome(), 'show', 'cursor:files', 'echo');
		expect(stdout).toContain('Example: mctl call cursor:files echo');
	});

	it('is that of the project when both files have it', async () => {
		const place = clientHome(/nothing/);
		const text = (name: string): string =>
			JSON.stringify({
				mcpServers: { x: { command: process.execPath, args: ['../echo-server.mjs', name] } },
			});
		writeFiles(place.home, { '.cursor/mcp.json': text('user'), 'work/.cursor/mcp.json': text('project') });
		expect((await run(place, 'call', 'cursor:x', 'echo', 'text=1')).stdout).toBe('project 1\n');
	});

	it.each([
		[['call', 'cursor:fils', 'echo'], 'no client has a server cursor:fils\nhint: did you mean: cursor:files'],
		[
			['call', 'vscode:asks', 'echo'],
			'"asks" of VS Code uses ${input:token}, which only this client can fill in',
		],
		[['show', 'cursor:files', 'ech'], 'there is no tool'],
		[['trust', 'diff', 'cursor:files'], '"cursor:files" is no server of the configuration'],
		[['auth', 'cursor:files'], 'the server "cursor:files" is a program on this machine'],
		[['show', 'cursor:files'], 'name a tool of the server\nhint: There are: echo'],
	])('%j: %s', async (args, message) => {
		const { code, stderr } = await run(clientHome(), ...args);
		expect([code, stderr]).toEqual([64, expect.stringContaining(message)]);
	});

	it('needs the variables that its entry names', async () => {
		const place = clientHome(/nothing/);
		const entry = {
			command: process.execPath,
			args: ['../echo-server.mjs', 'x'],
			env: { T: '${env:NOT_SET}' },
		};
		writeFiles(place.home, { '.cursor/mcp.json': JSON.stringify({ mcpServers: { x: entry } }) });
		const { code, stderr } = await run(place, 'call', 'cursor:x', 'echo');
		expect([code, stderr]).toEqual([64, expect.stringContaining('NOT_SET')]);
	});
});

describe('mctl init --client', () => {
	it('imports from one client and leaves the others alone', async () => {
		const place = clientHome();
		const { code } = await run(place, 'init', '--client', 'windsurf', '--yes');
		expect(code).toBe(0);
		expect(Object.keys(serversIn(place, '.config/orchestra/config.json'))).toEqual([
			'from-windsurf',
			'remote',
		]);
		const others = Object.entries(place.files).filter(([file]) => !file.includes('windsurf'));
		expect(others.length).toBeGreaterThan(1);
		expect(others.map(([file]) => [file, textOf(place, file)])).toEqual(others);
		expect(textOf(place, '.codeium/windsurf/mcp_config.json')).toContain('"orchestra"');
	});

	it.each([
		[['--client', 'cursr', '--yes'], 'there is no client "cursr"; did you mean cursor'],
		[['--client', 'emacs', '--yes'], 'there is no client "emacs"'],
		[['--undo', '--client', 'cursor'], '--undo and --client exclude each other'],
		[['--client', 'cursor'], 'there is no terminal to choose the servers on'],
	])('%j: %s', async (flags, message) => {
		const { code, stderr } = await run(clientHome(/cursor/), 'init', ...flags);
		expect([code, stderr]).toEqual([64, expect.stringContaining(message)]);
	});
});

describe('equal servers under several names', () => {
	const entry = { command: 'no-such-program', args: ['github'] };
	const files = {
		'.cursor/mcp.json': JSON.stringify({ mcpServers: { github: entry } }),
		'.gemini/settings.json': JSON.stringify({ mcpServers: { gh: { ...entry, timeout: 9000 } } }),
	};

	it('are pointed out, and imported one by one', async () => {
		const place = clientHome(/nothing/);
		writeFiles(place.home, files);
		const { stderr } = await run(place, 'init', '--yes');
		expect(stderr).toContain('gh is the same server as github; --merge imports one of them');
		expect(Object.keys(serversIn(place, '.config/orchestra/config.json'))).toEqual(['github', 'gh']);
	});

	it('are one with --merge, with the times of both, and return to their clients with --undo', async () => {
		const place = clientHome(/nothing/);
		writeFiles(place.home, files);
		const before = snapshot(place.home);
		const { stderr } = await run(place, 'init', '--yes', '--merge');
		expect(stderr).not.toContain('same server');
		expect(serversIn(place, '.config/orchestra/config.json')).toEqual({
			github: { ...entry, timeoutMs: 9000, maxMs: 9000 },
		});
		for (const file of Object.keys(files)) expect(textOf(place, file)).not.toMatch(/"gh"|"github":/);
		await run(place, 'init', '--undo');
		expect(snapshot(place.home)).toEqual(before);
	});

	it('take the name that the configuration has', async () => {
		const place = clientHome(/nothing/);
		const configured = JSON.stringify({ mcpServers: { code: entry } });
		writeFiles(place.home, { ...files, '.config/orchestra/config.json': configured });
		await run(place, 'init', '--yes', '--merge');
		expect(textOf(place, '.config/orchestra/config.json')).toBe(configured);
		expect(textOf(place, '.cursor/mcp.json')).toContain('"orchestra"');
	});
});

function run({ project, env }: ClientHome, ...words: string[]): Promise<MctlResult> {
	return mctl(words, { cwd: project, env });
}

function textOf({ home }: ClientHome, file: string): string {
	return readFileSync(join(home, file), 'utf8');
}

function serversIn(place: ClientHome, file: string): Record<string, unknown> {
	return Object(parseJsonc(textOf(place, file), file).value).mcpServers;
}
