/*
 * A client that closes its end of stdout at a random moment and keeps stdin open, while
 * calls run that print nothing. Over a socket, as Node connects it, and over a pipe.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../scripts/steps.mjs';
import { holdsWithin, killNow, livingWith } from '../support/processes.mjs';

export const title = 'a server whose stdout is closed cancels what runs, exits with 0 and leaves no process';

const VARIABLE = 'ORCHESTRA_CHAOS_STDOUT';
const LATEST_CLOSE_MS = 3000;
const END_MS = 20_000;
const main = join(root, 'dist/cli/main.js');
/** Runs its arguments with stdout on a pipe, whose reader leaves when the file `close` exists. */
const pipeParent = '"$@" | { while ! [ -e close ]; do sleep 0.05; done; }; exit "${PIPESTATUS[0]}"';

export async function run({ random, rounds, folder }) {
	const counts = { sockets: 0, pipes: 0, calls: 0, failures: [] };
	for (let round = 0; round < rounds; round++) {
		const token = `${process.pid}-${round}`;
		const kind = random.pick(['sockets', 'pipes']);
		counts[kind]++;
		await runRound({ random, cwd: makeTool(folder), token, kind, counts });
		for (const pid of livingWith(VARIABLE, token)) killNow(pid);
	}
	return counts;
}

async function runRound({ random, cwd, token, kind, counts }) {
	const child = start(cwd, token, kind);
	const exited = once(child, 'exit');
	child.stdin.on('error', () => {}); // the server exits with its input open
	const closeMs = random.integer(LATEST_CLOSE_MS);
	const calls = 1 + random.integer(4);
	for (let id = 1; id <= calls; id++) child.stdin.write(`${call(id)}\n`);
	counts.calls += calls;
	await sleep(closeMs);
	if (kind === 'sockets') child.stdout.destroy();
	else writeFileSync(join(cwd, 'close'), '');
	const what = `${kind}, ${calls} calls, closed after ${closeMs} ms`;
	const code = await Promise.race([exited.then(([value]) => value), sleep(END_MS, 'late', { ref: false })]);
	if (code !== 0) counts.failures.push(`${what}: the server ended with ${code}`);
	const isClean = await holdsWithin(END_MS, () => livingWith(VARIABLE, token).length === 0);
	if (!isClean) counts.failures.push(`${what}: processes are left`);
	child.stdin.destroy();
}

function start(cwd, token, kind) {
	const server = [process.execPath, main, 'serve'];
	const env = { ...process.env, [VARIABLE]: token, LOG_LEVEL: 'error' };
	const options = { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] };
	if (kind === 'sockets') return spawn(server[0], server.slice(1), options);
	return spawn('bash', ['-c', pipeParent, 'bash', ...server], options);
}

/** A folder with a tool that prints nothing for longer than a round. */
function makeTool(folder) {
	const cwd = join(folder, `${performance.now()}`);
	const tool = join(cwd, 'tools/silent');
	mkdirSync(tool, { recursive: true });
	const manifest = {
		manifestVersion: 1,
		id: 'silent',
		version: '1.0.0',
		name: 'silent',
		description: 'Sleeps',
	};
	writeFileSync(join(tool, 'manifest.json'), JSON.stringify({ ...manifest, command: ['sleep', '120'] }));
	return cwd;
}

function call(id) {
	return JSON.stringify({
		jsonrpc: '2.0',
		id,
		method: 'tools/call',
		params: { name: 'silent', arguments: {} },
	});
}
