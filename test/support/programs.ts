/* Real programs for the tests, each a few lines of Node or shell, and ways to watch them. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { until } from './waiting.ts';

/** Whether tests with Python can run; a machine with Node.js alone passes all others. */
export const hasPython: boolean = spawnSync('python3', ['--version']).status === 0;

/** A spawn record that runs `script` in Node. */
export function node(script: string, ...args: string[]): SpawnRecord {
	return { command: process.execPath, args: ['-e', script, ...args] };
}

/** A spawn record that runs `script` in a POSIX shell. */
export function shell(script: string): SpawnRecord {
	return { command: 'sh', args: ['-c', script] };
}

/** Answers every request with its own method and params; `die`, `hang`, `noise` and `fail` do what they say. */
export const rpcServer: SpawnRecord = node(`
	const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
	require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
		const { id, method, params } = JSON.parse(line);
		if (method === 'die') { process.stderr.write('dying now\\n'); process.exit(params.code); }
		if (method === 'kill') process.kill(process.pid, params.signal);
		if (method === 'noise') process.stdout.write('debug: hello\\n');
		if (method === 'hang' || id === undefined) return;
		if (method === 'fail') return send({ jsonrpc: '2.0', id, error: { code: -32001, message: 'no', data: { why: 'asked' } } });
		if (method === 'late') return setTimeout(() => send({ jsonrpc: '2.0', id, result: 'late' }), params.ms);
		send({ jsonrpc: '2.0', id, result: { method, params } });
	});
`);

/** True while a process runs; a zombie that only waits to be reaped does not. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return false; // no such process
	}
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
	} catch {
		return process.platform !== 'linux'; // gone since, or a system without /proc
	}
}

/** Every living process that was started, at whatever depth, with this variable in its environment. Linux only. */
export function livingWith(variable: string, value: string): number[] {
	if (process.platform !== 'linux') return [];
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.filter((pid) => {
			try {
				return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${variable}=${value}`);
			} catch {
				return false; // ended while we looked, or a zombie, which has no environment
			}
		})
		.map(Number);
}

/** Wait until no process lives that was started with this round's token. Seconds are promised; a busy machine gets more. */
export function nothingLeft(token: string, round = 'the round'): Promise<void> {
	return until(`nothing is left of ${round}`, () => livingWith('ROUND_TOKEN', token).length === 0);
}

/** Pids of the processes whose parent is `parent`. Linux only. */
export function childrenOf(parent: number): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => parentOf(pid) === parent);
}

/** The pid of the parent of a process; undefined when it has ended. Linux only. */
export function parentOf(pid: number): number | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
	} catch {
		return undefined; // ended while we looked
	}
}

/** What `action` throws or rejects with. */
export async function thrownBy(action: () => unknown): Promise<unknown> {
	try {
		await action();
	} catch (error) {
		return error;
	}
	throw new Error('expected a throw');
}
