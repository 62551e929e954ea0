/*
 * Processes to measure: started on a core of their own, and looked at from
 * outside through /proc. Where `taskset` or /proc do not exist the numbers that
 * need them are left out, and the rest is measured all the same.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export const DRIVER_CORE = 0;
export const SUBJECT_CORE = 1;
const TICK_MS = 10;
const STDERR_CHARACTERS = 2000;
/** How long a subject has for its first output or its next message: the slowest makes 800 calls for one. */
const NEXT_MS = 120_000;

/** True when driver and subject each get a core to themselves. */
export const isPinned =
	availableParallelism() > 1 && spawnSync('taskset', ['-c', String(SUBJECT_CORE), 'true']).status === 0;

/** Move this process to the driver's core. */
export function pinDriver() {
	pinBeside(process.pid);
}

/** Move a process to the driver's core, beside the driver. */
export function pinBeside(pid) {
	pin(pid, String(DRIVER_CORE));
}

/** Move a process to the subject's core, away from the driver. */
export function pinApart(pid) {
	pin(pid, String(SUBJECT_CORE));
}

/** Let the system place a process again. */
export function unpin(pid) {
	pin(pid, `${DRIVER_CORE},${SUBJECT_CORE}`);
}

function pin(pid, cores) {
	if (isPinned) spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)]);
}

/** Command and arguments that run `args` under Node, or another program, on `core`. */
export function nodeOn(core, args, program = process.execPath) {
	if (!isPinned) return { cmd: program, args };
	return { cmd: 'taskset', args: ['-c', String(core), program, ...args] };
}

/** Start a Node program, or another `program`, on the subject's core, or wherever the system likes when it `isFree`. Its stderr is shown only when it fails. */
export function startNode(
	args,
	{ stdio = ['pipe', 'pipe', 'pipe'], cwd, env, isFree = false, program = process.execPath } = {},
) {
	const command = isFree ? { cmd: program, args } : nodeOn(SUBJECT_CORE, args, program);
	return keepStderr(spawn(command.cmd, command.args, { stdio, cwd, env: { ...process.env, ...env } }));
}

/** Read the stderr of a child and keep its end, for `failure`. */
export function keepStderr(child) {
	let end = '';
	child.stderr?.setEncoding('utf8').on('data', (text) => {
		end = (end + text).slice(-STDERR_CHARACTERS);
	});
	child.stdin?.on('error', () => {}); // a subject that died is noticed by its silence or its exit
	child.lastStderr = () => end;
	return child;
}

/** The failure of a subject; its message is complete without a stack. */
export class SubjectFailure extends Error {}

/** What happened to a subject: its command line, the end of its stderr, and what to do. */
export function failure(child, what) {
	const stderr = child.lastStderr?.().trim() || '(its stderr is empty or above)';
	return new SubjectFailure(
		`${child.spawnargs.join(' ')}: ${what}\n${stderr}\nhint: npm ci --prefix bench installs the peers again; node scripts/build.mjs builds the product again`,
	);
}

/** The first text that a subject writes on stdout. */
export async function firstOutput(child) {
	return String(await next(child, child.stdout, 'data')).trim();
}

/** The next message of a forked subject. */
export function nextMessage(child) {
	return next(child, child, 'message');
}

/** The next event of this name. Rejects when the subject ends first, or nothing comes in time. */
function next(child, source, event) {
	return new Promise((resolve, reject) => {
		const settle = (finish, value) => {
			clearTimeout(timer);
			source.off(event, onEvent);
			child.off('close', onClose).off('error', onError);
			finish(value);
		};
		const fail = (what) => settle(reject, failure(child, what));
		const onEvent = (value) => settle(resolve, value);
		const onClose = (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`);
		const onError = (error) => fail(error.message);
		const timer = setTimeout(() => fail(`no ${event} within ${NEXT_MS} ms`), NEXT_MS);
		source.on(event, onEvent);
		child.on('close', onClose).on('error', onError);
		// One that ended before has no event to come.
		if (hasEnded(child)) onClose(child.exitCode, child.signalCode);
	});
}

function hasEnded(child) {
	return child.exitCode !== null || child.signalCode !== null;
}

/** Close the input of a child and wait until it is gone; one that stays is killed. */
export async function stop(child, graceMs = 1000) {
	if (hasEnded(child)) return;
	const gone = once(child, 'exit');
	const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
	child.stdin?.destroy();
	await gone;
	clearTimeout(timer);
}

/** Processes that do nothing but work; the returned function ends them, and they end by themselves. */
export function makeBusy(count) {
	const work = 'const end = Date.now() + 120_000; while (Date.now() < end);';
	const workers = Array.from({ length: count }, () =>
		spawn(process.execPath, ['-e', work], { stdio: 'ignore' }),
	);
	return () => workers.forEach((worker) => worker.kill('SIGKILL'));
}

/** CPU time that a process has used so far, all threads, in microseconds. */
export function cpuMicros(pid) {
	try {
		const tasks = readdirSync(`/proc/${pid}/task`);
		const nanos = tasks.map(
			(task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0],
		);
		return nanos.reduce((sum, ns) => sum + Number(ns), 0) / 1000;
	} catch {
		return cpuMicrosByTicks(pid);
	}
}

/** The same from the coarse counters, for kernels without scheduler statistics. */
function cpuMicrosByTicks(pid) {
	try {
		const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
		return (Number(fields[11]) + Number(fields[12])) * TICK_MS * 1000;
	} catch {
		return undefined; // no /proc here
	}
}

/** Resident memory of a process, now and at its peak, in bytes. */
export function memory(pid) {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		const bytes = (key) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)[1]) * 1024;
		return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
	} catch {
		return undefined; // no /proc here
	}
}
