/* Servers, plugins and tools in a sandbox, through the whole product. */
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type MctlResult, mctl } from '../support/mctl.ts';
import { plugin } from '../support/plugins.ts';
import { livingWith } from '../support/programs.ts';
import { hasSandbox, type SandboxPlace, sandboxPlace } from '../support/sandboxes.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

const server = {
	command: process.execPath,
	args: [resolve(import.meta.dirname, '../fixtures/servers/reaching-server.mjs')],
};

describe.skipIf(!hasSandbox)('in a sandbox', () => {
	test('a server is refused keys, files outside and the network, and does its work', async () => {
		const place = sandboxPlace();
		const run = project(place, {
			mcpServers: { free: server, caged: { ...server, sandbox: true, limits: { openFiles: 256 } } },
		});
		const reach = await reachFrom(place, run);
		expect(await reach('free')).toMatchObject({ key: 'private key', outside: 'done', network: 'connected' });
		expect(await reach('caged')).toEqual({
			key: 'ENOENT',
			outside: 'EROFS',
			network: expect.stringMatching(/^E/),
			own: 'own',
			project: 'done',
			temporary: 'done',
		});
	});

	test('nothing is left of a sandbox when its hub is killed', async () => {
		const place = sandboxPlace();
		const run = project(place, { mcpServers: { caged: { ...server, sandbox: true } } });
		const { pid } = JSON.parse((await run('hub', 'start', '--json')).stdout);
		const reach = await reachFrom(place, run);
		expect(await reach('caged')).toMatchObject({ own: 'own' });
		const { stdout } = await run('hub', 'ps', '--json');
		expect(stdout).toContain('"backend":"caged"');
		process.kill(pid, 'SIGKILL');
		await until('nothing with this home is left', () => livingWith('HOME', place.home).length === 0);
	});

	test('a plugin with a network works, and sees no dotfiles', async () => {
		const place = sandboxPlace();
		const body = `import { existsSync } from 'node:fs';
			await definePlugin({ id, version: '1.0.0', tools: { look: tool(() => String(existsSync(process.env.HOME + '/.ssh'))) } }).run();`;
		const { args, ...entry } = plugin('tools.caged', body) as { id: string; args: string[] };
		const sandbox = { network: true, read: ['/', ...args] };
		const run = project(place, { plugins: [{ ...entry, args, sandbox }] });
		const { stdout, stderr } = await run('call', 'look');
		expect([stdout.trim(), stderr]).toEqual(['false', '']);
	});

	test('a tool runs in the sandbox of all tools', async () => {
		const place = sandboxPlace();
		const script = `${shellEvent('peek')}\nls ~/.ssh >&2 || found=no\nevent result "{\\"data\\":{\\"found\\":\\"\${found:-yes}\\"}}"\n`;
		writeFiles(place.project, {
			'tools/peek/manifest.json': manifestOf('peek'),
			'tools/peek/main.sh': script,
		});
		const run = project(place, { tools: { roots: ['tools'], sandbox: true } });
		const { stdout, code } = await run('run', 'peek', '--json');
		expect([code, stdout]).toEqual([0, expect.stringContaining('"found":"no"')]);
	});
});

test('without bwrap a server with a sandbox does not start, and the error says how to install it', async () => {
	const place = sandboxPlace();
	const run = project(place, { mcpServers: { caged: { ...server, sandbox: true } } }, '/nowhere');
	const { code, stderr } = await run('call', 'caged__reach');
	expect(code).not.toBe(0);
	expect(stderr).toMatch(/could not be started: .*bwrap is not installed/);
	expect(stderr).toContain('Install bubblewrap');
	const doctor = await run('doctor');
	expect(doctor.stdout).toMatch(/server caged: .*bwrap is not installed/);
});

type Run = (...args: string[]) => Promise<MctlResult>;

function project({ home, project: cwd }: SandboxPlace, configuration: object, path?: string): Run {
	writeFiles(cwd, { 'orchestra.json': JSON.stringify(configuration) });
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
	const run: Run = (...args) =>
		mctl(args, { cwd, env: { ...env, ...(path !== undefined && { PATH: path }) } });
	onTestFinished(async () => {
		await run('hub', 'stop', '--all', '--force');
		await until('nothing with this home is left', () => livingWith('HOME', home).length === 0);
	});
	return run;
}

async function reachFrom({ outside }: SandboxPlace, run: Run): Promise<(name: string) => Promise<unknown>> {
	const listener = createServer((socket) => socket.end());
	onTestFinished(() => void listener.close());
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
	const address = listener.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return async (name) => {
		const input = JSON.stringify({ outside, port });
		const { stdout, stderr } = await run('call', `${name}__reach`, '--input', input);
		try {
			return JSON.parse(stdout);
		} catch {
			return stdout + stderr;
		}
	};
}
