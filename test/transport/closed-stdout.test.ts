/* A server whose stdout loses its reader while a call runs that prints nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openHubPlace } from '../support/hub-place.ts';
import { hasPython, isAlive } from '../support/programs.ts';
import { manifestOf } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const mctl = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"silent","arguments":{}}}';

/** Each parent closes its end of the child's stdout once the file `close` exists; the input stays open. */
const parents: Record<string, (command: string[]) => string[]> = {
	'a Node parent that destroys its socket': (command) => [
		process.execPath,
		'-e',
		`const child = require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: ['inherit', 'pipe', 'inherit'] });
		setInterval(() => require('node:fs').existsSync('close') && child.stdout.destroy(), 50);
		child.on('exit', (code) => process.exit(code));`,
		...command,
	],
	'a Python parent that closes its pipe': (command) => [
		'python3',
		'-c',
		`import os, subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
while not os.path.exists('close'): time.sleep(0.05)
child.stdout.close()
sys.exit(child.wait())`,
		...command,
	],
	'a shell pipeline whose reader exits': (command) => [
		'bash',
		'-c',
		'"$@" | { while ! [ -e close ]; do sleep 0.05; done; }; exit "${PIPESTATUS[0]}"',
		'bash',
		...command,
	],
};

describe.each(Object.entries(parents))('with %s', (_name, parent) => {
	beforeEach(({ skip }) => {
		if (parent([])[0] === 'python3' && !hasPython) skip('there is no python3');
	});

	it('mctl serve cancels the silent tool, logs one line and exits 0', async () => {
		const folder = writeFiles(temporaryFolder(), silentTool);
		await expectEnd(startIn(folder, parent([process.execPath, mctl, 'serve'])), folder);
	});

	it('mctl bridge cancels the silent tool, logs one line and exits 0', async () => {
		const place = openHubPlace();
		writeFiles(place.cwd, silentTool);
		await place.start();
		await expectEnd(startIn(place.cwd, parent([process.execPath, mctl, 'bridge']), place.env), place.cwd);
	});
});

describe('a call that starts after stdout was closed', () => {
	it('is canceled, though no call came before it', async () => {
		const folder = writeFiles(temporaryFolder(), silentTool);
		const child = spawn(process.execPath, [mctl, 'serve'], { cwd: folder });
		const exited = once(child, 'exit');
		child.stdout.destroy();
		child.stdin.on('error', () => {}); // it exits with its input open
		child.stdin.write(`${call}\n`);
		expect(await exited).toEqual([0, null]);
	});
});

describe('a client that keeps stdout open', () => {
	it('waits for a silent call through many checks, and reads its response', async () => {
		const folder = writeFiles(temporaryFolder(), { ...silentTool, 'tools/silent/main.sh': 'sleep 3' });
		const child = spawn('sh', ['-c', '"$@" | cat', 'sh', process.execPath, mctl, 'serve'], { cwd: folder });
		let [stdout, stderr] = ['', ''];
		child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
		child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
		child.stdin.write(`${call}\n`);
		await until('the response is there', () => stdout.includes('"id":1'));
		child.stdin.end();
		await once(child, 'close');
		expect(stderr).not.toMatch(/stdout is closed|Warning/);
	});
});

const silentTool = {
	'tools/silent/manifest.json': manifestOf('silent'),
	'tools/silent/main.sh': 'echo $$ > pid.new && mv pid.new pid && exec sleep 60',
};

interface Started {
	stderr(): string;
	readonly exited: Promise<unknown[]>;
}

/** Start a parent, and send the call to its child. The input stays open. */
function startIn(cwd: string, [command = '', ...args]: string[], env: Record<string, string> = {}): Started {
	const child = spawn(command, args, {
		cwd,
		env: { ...process.env, ...env },
		stdio: ['pipe', 'ignore', 'pipe'],
	});
	const exited = once(child, 'exit');
	onTestFinished(() => {
		child.kill('SIGKILL');
		child.stdin.destroy();
	});
	let stderr = '';
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
	child.stdin.write(`${call}\n`);
	return { stderr: () => stderr, exited };
}

async function expectEnd({ stderr, exited }: Started, folder: string): Promise<void> {
	const pidFile = join(folder, 'tools/silent/pid');
	await until('the tool runs', () => existsSync(pidFile));
	const pid = Number(readFileSync(pidFile, 'utf8'));
	writeFiles(folder, { close: '' });
	expect(await exited).toEqual([0, null]);
	await until('the tool is ended', () => !isAlive(pid));
	expect(stderr().match(/stdout is closed \(it has no reader\)/g)).toHaveLength(1);
	expect(stderr()).not.toContain('ExperimentalWarning');
}
