import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Log } from '../../src/log.ts';
import { Child, type ChildOptions } from '../../src/process/child.ts';
import { type Sandbox, sandboxProgram } from '../../src/process/sandbox/sandbox.ts';
import { HelperSpawner } from '../../src/process/spawn/helper-spawner.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { livingWith, shell, thrownBy } from '../support/programs.ts';
import { hasSandbox, type SandboxPlace, sandboxPlace } from '../support/sandboxes.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

/** Opens every file of /proc that is not one of a process, and writes nothing. */
const openedForWriting = `
const fs = require('fs');
const opened = [];
const look = (path) => {
	for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
		const inner = path + '/' + entry.name;
		if (entry.isDirectory() && !/^\\/proc\\/\\d+$/.test(inner)) try { look(inner); } catch {}
		if (!entry.isFile()) continue;
		try { fs.closeSync(fs.openSync(inner, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)); opened.push(inner); } catch {}
	}
};
look('/proc');
const hasRead = fs.readFileSync('/proc/sys/kernel/pid_max', 'utf8') > '0';
console.log(JSON.stringify({ opened: opened.slice(0, 5), hasRead }));
`;

describe.skipIf(!hasSandbox)('inside a sandbox', () => {
	test('dotfiles of the home folder cannot be read, the rest can', async () => {
		const place = sandboxPlace();
		const script = 'cat ~/.ssh/id_test; ls -A ~; cat ~/visible.txt own.txt; head -c 4 /etc/passwd';
		const output = await run(place, script);
		expect(output).not.toContain('private key');
		expect(output).toBe('visible.txt\nwork\nvisibleownroot');
	});

	test('the state and configuration of the user are hidden wherever they are', async () => {
		const place = sandboxPlace();
		writeFiles(place.outside, { 'state/orchestra/token': 'token', 'other.txt': 'other' });
		const environment = { ...place.environment, XDG_STATE_HOME: join(place.outside, 'state') };
		const script = `cat ${place.outside}/state/orchestra/token; cat ${place.outside}/other.txt`;
		expect(await run({ ...place, environment }, script)).toBe('other');
	});

	test('another HOME in the environment of the entry does not show the real one', async () => {
		const place = sandboxPlace();
		const output = await run(place, `cat ${place.home}/.ssh/id_test; echo done`, {}, { HOME: '/etc' });
		expect(output).toBe('done\n');
	});

	test('the certificate authorities that the variables of the user name can be read, also hidden ones', async () => {
		const place = sandboxPlace();
		writeFiles(place.home, { '.ca/company.pem': 'company', '.ca/other.pem': 'other', '.ca/dir/a.pem': 'a' });
		const variables = {
			NODE_EXTRA_CA_CERTS: join(place.home, '.ca/company.pem'),
			SSL_CERT_DIR: `/etc/ssl/certs:${join(place.home, '.ca/dir')}`,
		};
		const environment = { ...place.environment, ...variables };
		const script =
			'cat "$NODE_EXTRA_CA_CERTS" ~/.ca/dir/a.pem; cat ~/.ca/other.pem; echo x >>"$NODE_EXTRA_CA_CERTS"; cat ~/.ssh/id_test';
		for (const lists of [{}, { read: ['/usr'], write: [] }])
			expect(await run({ ...place, environment }, script, lists)).toBe('companya');
		expect(readFileSync(variables.NODE_EXTRA_CA_CERTS, 'utf8')).toBe('company');
	});

	test('a file that only an entry names as certificate authority stays hidden, and a line says so', async () => {
		const place = sandboxPlace();
		const key = join(place.home, '.ssh/id_test');
		const lines: string[] = [];
		const write = (line: string): void => void lines.push(line);
		const log = new Log('server', { level: 'warn', format: 'text', write, now: () => new Date() });
		const script = 'cat "$SSL_CERT_FILE"; echo done';
		const child = await start(place, { ...shell(script), env: { SSL_CERT_FILE: key } }, {}, { log });
		child.stdin.end();
		expect(await text(child.stdout)).toBe('done\n');
		await child.gone;
		expect(lines.join('')).toContain(
			`SSL_CERT_FILE is ${key}, which its sandbox hides: add it to \`sandbox.read\``,
		);
	});

	test('the project and the private temporary folder can be written, nothing else', async () => {
		const place = sandboxPlace();
		const { project, outside, home } = place;
		const script = `echo a >new.txt; echo b >"$TMPDIR/t" && cat "$TMPDIR/t"
			for path in ${outside}/x ${home}/x ${home}/.x /usr/x /run/x; do echo c >$path && echo "wrote $path"; done; echo done`;
		expect(await run(place, script)).toBe('b\ndone\n');
		expect(readFileSync(join(project, 'new.txt'), 'utf8')).toBe('a\n');
		expect(existsSync(join(outside, 'x'))).toBe(false);
	});

	// Another user may write none of them anyway.
	test.skipIf(process.getuid?.() !== 0)(
		'root can open no file of the kernel in /proc for writing',
		async () => {
			const program = { command: process.execPath, args: ['-e', openedForWriting] };
			expect(JSON.parse(await run(sandboxPlace(), program))).toEqual({ opened: [], hasRead: true });
			expect(JSON.parse(await run(sandboxPlace(), program, { read: ['/usr'], network: true }))).toEqual({
				opened: [],
				hasRead: true,
			});
		},
	);

	test('the file that describes the sandbox cannot be changed', async () => {
		const place = sandboxPlace();
		const protect = [join(place.project, 'own.txt')];
		const script = 'echo x >own.txt; rm -f own.txt; mv own.txt other.txt; cat own.txt';
		expect(await run(place, script, { protect })).toBe('own');
	});

	test('no server is reached without the network, and with it one is', async () => {
		const place = sandboxPlace();
		const server = createServer((socket) => socket.end('reached'));
		onTestFinished(() => void server.close());
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		const address = server.address();
		const port = typeof address === 'object' ? address?.port : undefined;
		const script = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => process.stdout.write(d)).on('error', (e) => console.log(e.code))`;
		const program = { command: process.execPath, args: ['-e', script] };
		expect(await run(place, program)).toMatch(/^E(?:CONNREFUSED|NETUNREACH)\n$/);
		expect(await run(place, program, { network: true })).toBe('reached');
	});

	test('only listed folders can be read, and only listed ones written', async () => {
		const place = sandboxPlace();
		const lists = { read: [place.outside], write: [] };
		const script = `cat ~/visible.txt; cat own.txt; echo a >new.txt; ls -d ${place.outside}; ls -A ~`;
		expect(await run(place, script, lists)).toBe(`own${place.outside}\nwork\n`);
		expect(existsSync(join(place.project, 'new.txt'))).toBe(false);
	});

	test('a program in a hidden folder starts, and its neighbours stay hidden', async () => {
		const place = sandboxPlace();
		writeFiles(place.home, { '.bin/program': '#!/bin/sh\nls ~/.bin\n', '.bin/secret': '' });
		expect(await run(place, { command: join(place.home, '.bin/program') })).toBe('program\n');
	});

	test.each(['/', 'home'])('a sandbox that would open %s for writing does not start', async (path) => {
		const place = sandboxPlace();
		const write = [path === 'home' ? place.home : path];
		const error = await thrownBy(() => start(place, shell('true'), { write }));
		expect(error).toMatchObject({ code: 'spawn', message: expect.stringContaining('home folder') });
	});

	test('a path that does not exist is named', async () => {
		const place = sandboxPlace();
		const error = await thrownBy(() => start(place, shell('true'), { read: ['/no/such/folder'] }));
		expect(error).toMatchObject({ code: 'spawn', message: expect.stringContaining('/no/such/folder') });
	});

	test.each(['direct', 'helper'])(
		'all its processes end with it, and it sees the end of its input (%s)',
		async (how) => {
			const place = sandboxPlace();
			const spawner = how === 'helper' ? new HelperSpawner() : undefined;
			onTestFinished(() => spawner?.close());
			const stubborn = shell('(trap "" TERM; sleep 600) & setsid sleep 600 & cat; echo end; exit 7');
			const child = await start(place, stubborn, {}, { spawner });
			await until('it runs', () => sleepers(place) >= 2);
			const output = text(child.stdout);
			expect(await child.stop()).toEqual({ code: 7, signal: null });
			expect(await output).toBe('end\n');
			expect(livingWith('HOME', place.home)).toEqual([]);
		},
	);

	test('a program that ignores the end of input and SIGTERM is killed', async () => {
		const place = sandboxPlace();
		const child = await start(place, shell('trap "" TERM; while :; do sleep 1; done'));
		await child.stop();
		await until('nothing is left', () => livingWith('HOME', place.home).length === 0);
	});

	test('secrets of the environment are not on the command line', async () => {
		const place = sandboxPlace();
		const record = { ...shell('cat'), env: { API_KEY: 'secret-of-the-env' } };
		const child = await start(place, record);
		const lines = livingWith('HOME', place.home).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
		await child.stop();
		expect(lines.length).toBeGreaterThan(0);
		expect(lines.join('')).not.toContain('secret-of-the-env');
	});
});

test('without its program a sandboxed program does not start, and the error says how to install it', async () => {
	const record = {
		...shell('true'),
		cwd: '/',
		sandbox: { write: [], read: ['/'], network: false, protect: [] },
	};
	const error = await thrownBy(() =>
		Child.start({ ...record, command: '/bin/sh' }, { parentEnvironment: { PATH: '/nowhere' } }),
	);
	expect(error).toMatchObject({
		code: 'spawn',
		message: expect.stringContaining('not installed'),
		hint: expect.stringContaining('bubblewrap'),
	});
	const onMac = { environment: { PATH: '/nowhere' }, platform: 'darwin' } as const;
	const hint = expect.stringContaining('part of macOS');
	expect(await thrownBy(() => sandboxProgram(onMac))).toMatchObject({ code: 'spawn', hint });
});

function start(
	{ project, environment }: SandboxPlace,
	record: SpawnRecord,
	changes: Partial<Sandbox> = {},
	options: ChildOptions = {},
): Promise<Child> {
	const sandbox = { write: [project], read: ['/'], network: false, protect: [], ...changes };
	return Child.start({ cwd: project, ...record, sandbox }, { parentEnvironment: environment, ...options });
}

async function run(
	place: SandboxPlace,
	program: string | SpawnRecord,
	changes: Partial<Sandbox> = {},
	env: Record<string, string> = {},
): Promise<string> {
	const record = typeof program === 'string' ? shell(program) : program;
	const child = await start(place, { ...record, env }, changes);
	child.stdin.end();
	const output = await text(child.stdout);
	await child.gone;
	return output;
}

function sleepers({ home }: SandboxPlace): number {
	return livingWith('HOME', home).filter((pid) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep');
		} catch {
			return false; // gone
		}
	}).length;
}
