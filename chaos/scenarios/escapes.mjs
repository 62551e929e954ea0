/*
 * Tools that start processes outside their process group, ended at a random moment in a random way.
 * Afterwards no process may be left that carries the token of the round.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../scripts/steps.mjs';
import { holdsWithin, killNow, livingWith } from '../support/processes.mjs';

export const title = 'no process of a tool outlives it, whatever it does to leave its group';

const GONE_WITHIN_MS = 10_000;
const ENDED_WITHIN_MS = 15_000;
const UP_WITHIN_MS = 10_000;
const LATEST_KILL_MS = 300;
const AT_ONCE = 4;

const stubborn = `trap '' TERM HUP; while :; do sleep 1; done`;
const escapes = {
	setsid: `setsid sleep 60 & wait`,
	timeout: `timeout 60 sleep 60`,
	'job-control': `set -m; sleep 60 & wait`,
	session: `python3 -c 'import subprocess; subprocess.Popen(["sleep", "60"], start_new_session=True).wait()'`,
	'double-fork': `(setsid sh -c "${stubborn}" >/dev/null 2>&1 &); sleep 60`,
	'leaves-at-once': `setsid sh -c "setsid sleep 60 & exit" & exit 0`,
	hops: `hop() { setsid bash -c "$1" & }; hop 'setsid sleep 60 & setsid sleep 60 & exit'; sleep 60`,
};
const endings = ['SIGINT', 'SIGTERM', 'SIGKILL', 'deadline'];

export async function run({ random, rounds, folder, note }) {
	if (process.platform !== 'linux') return { skipped: rounds };
	for (const [id, script] of Object.entries(escapes)) writeTool(folder, id, script);
	const failures = [];
	for (let done = 0; done < rounds; done += AT_ONCE) {
		const count = Math.min(AT_ONCE, rounds - done);
		const plans = Array.from({ length: count }, (_, index) => plan(random, done + index));
		failures.push(...(await Promise.all(plans.map((each) => round(each, folder)))).filter(Boolean));
		note(`${done + count} rounds, ${failures.length} failures`);
	}
	return { rounds, left: failures.length, failures };
}

function plan(random, number) {
	return {
		number,
		tool: random.pick(Object.keys(escapes)),
		ending: random.pick(endings),
		atMs: random.integer(LATEST_KILL_MS),
	};
}

async function round({ number, tool, ending, atMs }, folder) {
	const token = `${process.pid}-${number}`;
	const args = [
		join(root, 'dist/cli/main.js'),
		'run',
		tool,
		'--timeout',
		ending === 'deadline' ? `${atMs + 300}` : '30000',
	];
	const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), CHAOS_TOKEN: token };
	const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
	const exited = once(child, 'exit');
	if (ending !== 'deadline') {
		// mctl itself carries the token as well.
		const isUp = () => livingWith('CHAOS_TOKEN', token).length > 1 || child.exitCode !== null;
		await holdsWithin(UP_WITHIN_MS, isUp);
		await sleep(atMs);
		child.kill(ending);
	}
	const hasEnded = await Promise.race([
		exited.then(() => true),
		sleep(ENDED_WITHIN_MS, false, { ref: false }),
	]);
	const isClean = await holdsWithin(GONE_WITHIN_MS, () => livingWith('CHAOS_TOKEN', token).length === 0);
	const left = livingWith('CHAOS_TOKEN', token);
	for (const pid of left) killNow(pid);
	const what = `round ${number}: ${tool} ended by ${ending} after ${atMs} ms`;
	if (!hasEnded) return `${what}: mctl did not end`;
	return isClean ? undefined : `${what}: ${left.length} processes left`;
}

function writeTool(folder, id, script) {
	const path = join(folder, 'tools', id);
	mkdirSync(path, { recursive: true });
	const manifest = {
		manifestVersion: 1,
		id,
		version: '1.0.0',
		name: id,
		description: id,
		command: ['bash', 'main.sh'],
		env: ['CHAOS_TOKEN'],
	};
	writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest));
	writeFileSync(join(path, 'main.sh'), `${script}\n`);
}
