/* `mctl trust diff` and `mctl trust accept`. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftingServer } from '../../support/drifting-servers.ts';
import { mcpFolder, realServer } from '../../support/mcp-folder.ts';
import { main, mctl } from '../../support/mctl.ts';
import { mctlOnScreen } from '../../support/terminal.ts';
import { until } from '../../support/waiting.ts';

/** Each test runs several commands. */
const timeout = 120_000;

describe('mctl trust diff', { timeout }, () => {
	it('shows what changed word by word, and exits with 1', async () => {
		const server = driftingServer({ read: 'Reads a file.', old: 'Goes.' });
		const { run } = mcpFolder({ notes: server.entry() });
		await run('list', 'servers', '--check');
		expect(await run('trust', 'diff')).toMatchObject({ code: 0, stdout: '' });
		server.setTools({ read: 'Reads any\u200b file.', added: 'Comes.' });
		const { stderr } = await run('list', 'servers', '--check');
		expect(stderr).toContain('changed: read; new: added; removed: old');
		const { code, stdout } = await run('trust', 'diff', 'notes');
		expect(code).toBe(1);
		expect(stdout).toContain('description: Reads [-a-]{+any\\u{200b}+} file.');
		expect(stdout).toContain('new added');
		expect((await run('trust', 'diff', 'notes__read')).stdout).toBe(stdout);
		expect((await run('trust', 'diff', 'stdio:node x.mjs')).stderr).toContain(
			'is no server of the configuration',
		);
		expect(stdout).toContain('removed old');
		expect(stdout).toContain('suspicious read: its description has text that a reader does not see');
	});

	it('sees no difference between a check and a hub for a server whose tools depend on the capabilities of its client', async () => {
		const { run } = mcpFolder({ everything: realServer('everything') });
		await run('list', 'servers', '--check');
		expect((await run('call', 'everything', 'echo', 'message=hi')).stderr).toBe('');
		expect(await run('trust', 'diff')).toMatchObject({ code: 0, stdout: '' });
	});

	it('says that the project is not trusted, for all servers and for a named one', async () => {
		const { env, cwd } = mcpFolder({ notes: { command: 'a-server' } });
		const run = (...words: string[]) => mctl(words, { cwd, env: { ...env, ORCHESTRA_TRUST: '' } });
		const diff = await run('trust', 'diff');
		expect(diff).toMatchObject({ code: 0, stdout: '' });
		expect(diff.stderr).toMatch(/orchestra\.json is not trusted, so the MCP server notes is blocked\nhint: /);
		expect(diff.stderr).not.toContain('No MCP server');
		const { blocked } = JSON.parse((await run('trust', 'diff', '--json')).stdout);
		expect(blocked).toMatchObject([{ file: join(cwd, 'orchestra.json'), effects: [{ name: 'notes' }] }]);
		for (const command of ['diff', 'accept']) {
			const named = await run('trust', command, 'notes');
			expect(named).toMatchObject({ code: 64, stderr: expect.stringContaining('is not trusted') });
		}
	});

	it('has colours instead of brackets on a terminal', async () => {
		const server = driftingServer({ read: 'Reads a file.' });
		const folder = mcpFolder({ notes: server.entry() });
		await folder.run('list', 'servers', '--check');
		server.setTools({ read: 'Reads any file.' });
		await folder.run('list', 'servers', '--check');
		const { screen } = await mctlOnScreen(['trust', 'diff'], folder);
		expect(screen).toContain('Reads \u001b[31ma\u001b[39m\u001b[32many\u001b[39m file.');
	});

	it('gives a program both texts and the hash to accept', async () => {
		const server = driftingServer({ read: 'Reads a file.' });
		const { run } = mcpFolder({ notes: server.entry({ pin: 'quarantine' }) });
		await run('list', 'servers', '--check');
		server.setTools({ read: 'Reads any file.' });
		await run('list', 'servers', '--check');
		const { stdout } = await run('trust', 'diff', '--json');
		const [drift] = JSON.parse(stdout).servers;
		expect(drift).toMatchObject({
			state: 'drifted',
			drifted: [{ kind: 'changed', isQuarantined: true, before: { description: 'Reads a file.' } }],
			findings: [],
		});
		server.setTools({ read: 'Reads no file.' });
		await run('list', 'servers', '--check');
		const refused = await run('trust', 'accept', 'notes', '--sha256', drift.sha256);
		expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('changed again') });
	});

	it('says that a text was accepted on another machine', async () => {
		const server = driftingServer({ read: 'Reads a file.' });
		const lock = `orchestra-lock 1\nserver "notes"\n  "read" sha256:${'0'.repeat(64)}\n`;
		const { run } = mcpFolder({ notes: server.entry() }, { 'orchestra.lock': lock });
		await run('list', 'servers', '--check');
		const { stdout } = await run('trust', 'diff');
		expect(stdout).toContain('The accepted text is not known on this machine.');
	});

	it('reports a damaged lock file, and leaves it', async () => {
		const server = driftingServer({ read: 'Reads a file.' });
		const { run, cwd } = mcpFolder({ notes: server.entry() }, { 'orchestra.lock': 'garbage\n' });
		await run('list', 'servers', '--check');
		const diff = await run('trust', 'diff');
		expect(diff).toMatchObject({ code: 1, stdout: expect.stringContaining('orchestra.lock:1 is "garbage"') });
		expect(await run('trust', 'accept', 'notes')).toMatchObject({ code: 64 });
		const doctor = await run('doctor');
		expect(doctor.stdout).toContain('pins of notes:');
		expect(readFileSync(join(cwd, 'orchestra.lock'), 'utf8')).toBe('garbage\n');
	});

	it.each([
		[['trust', 'diff', 'nots'], 'did you mean: notes'],
		[['trust', 'diff', 'a', 'b'], 'usage:'],
		[['trust', 'accept'], 'usage:'],
		[['trust', 'accept', 'notes'], 'mctl list servers --check'],
	])('mctl %j says what to do', async (words, hint) => {
		const { run } = mcpFolder({ notes: driftingServer({}).entry() });
		const { code, stderr } = await run(...words);
		expect(code).not.toBe(0);
		expect(stderr).toContain(hint);
	});
});

describe('mctl trust accept', { timeout }, () => {
	it('lets a running shared hub list the tools that it had quarantined', async () => {
		const server = driftingServer({ read: 'Reads a file.', announce: '' });
		const { run } = mcpFolder({ notes: server.entry({ pin: 'quarantine' }) });
		await run('hub', 'start');
		await run('call', 'notes', 'announce');
		server.setTools({ read: 'Reads any file.', announce: '' });
		await run('call', 'notes', 'announce');
		const isListed = async (): Promise<boolean> =>
			(await run('list', 'tools', '--json')).stdout.includes('"notes__read"');
		await until('the tool is quarantined', async () => !(await isListed()));
		const refused = await run('call', 'notes__read');
		expect(refused).toMatchObject({ code: 1 });
		expect(refused.stdout + refused.stderr).toContain('is quarantined');
		await until('the drift is on disk', async () => (await run('trust', 'diff')).code === 1);
		for (const words of [
			['run', 'notes__read'],
			['show', 'notes', 'read'],
		]) {
			const { code, stderr } = await run(...words);
			expect([code, stderr]).toEqual([1, expect.stringContaining('mctl trust accept notes')]);
		}
		expect(await run('trust', 'accept', 'notes')).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('Accepted the tools of notes (changed: read)'),
		});
		await until('the tool is listed', isListed);
		expect((await run('call', 'notes__read')).stdout).toContain('called read');
	});

	it('keeps the pins of every server when several commands record them at once', async () => {
		const names = ['a', 'b', 'c', 'd'];
		const entries = names.map((name) => [name, driftingServer({ [`tool_${name}`]: 'Works.' }).entry()]);
		const { run, cwd } = mcpFolder(Object.fromEntries(entries));
		await Promise.all(names.map((name) => run('call', name, `tool_${name}`)));
		const lock = readFileSync(join(cwd, 'orchestra.lock'), 'utf8');
		for (const name of names) expect(lock).toContain(`server "${name}"\n  "tool_${name}" sha256:`);
	});

	it('uses a lock file in the state folder for entries of the user', async () => {
		const server = driftingServer({ read: 'Reads.' });
		const { run, cwd, env } = mcpFolder({});
		const file = join(env['XDG_CONFIG_HOME'] ?? '', 'orchestra/config.json');
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, JSON.stringify({ mcpServers: { mine: server.entry() } }));
		await run('call', 'mine', 'read');
		expect(existsSync(join(cwd, 'orchestra.lock'))).toBe(false);
		expect(readFileSync(join(env['XDG_STATE_HOME'] ?? '', 'orchestra/orchestra.lock'), 'utf8')).toContain(
			'"mine"',
		);
	});
});

describe('a project that cannot be written', { timeout }, () => {
	it.skipIf(!hasReadOnlyMounts())('is pinned in the state folder, and nothing fails', async () => {
		const server = driftingServer({ read: 'Reads.' });
		const { cwd, env, run } = mcpFolder({ notes: server.entry({ pin: 'quarantine' }) });
		const readOnly = (...words: string[]): string =>
			execFileSync(
				'bwrap',
				['--dev-bind', '/', '/', '--ro-bind', cwd, cwd, '--chdir', cwd, process.execPath, main, ...words],
				{ env: { ...process.env, ...env }, encoding: 'utf8' },
			);
		expect(readOnly('call', 'notes', 'read')).toContain('called read');
		expect(existsSync(join(cwd, 'orchestra.lock'))).toBe(false);
		server.setTools({ read: 'Reads all.' });
		await run('list', 'servers', '--check');
		const { stdout } = await mctl(['trust', 'diff'], { cwd, env });
		expect(stdout).toContain('Reads{+ all+}.');
		expect(readOnly('trust', 'accept', 'notes')).toContain('changed: read');
		expect(readOnly('trust', 'diff')).toBe('');
	});
});

/** Bubblewrap cannot always make mounts, for example in a container. */
function hasReadOnlyMounts(): boolean {
	try {
		execFileSync('bwrap', ['--dev-bind', '/', '/', 'true'], { stdio: 'ignore' });
		return true;
	} catch {
		console.log('a project that cannot be written: skipped, bwrap makes no mounts here');
		return false;
	}
}
