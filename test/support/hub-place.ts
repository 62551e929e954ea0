/* A project with a home and so a shared hub of its own, and everything of it ended with the test. */

import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { HubFolder } from '../../src/hub/shared/hub-folder.ts';
import { BridgeClient, initialize } from './bridges.ts';
import { type MctlResult, mctl, startMctl } from './mctl.ts';
import { isAlive, livingWith, parentOf } from './programs.ts';
import { until } from './waiting.ts';
import { homeVariables, temporaryFolder, writeFiles } from './workspace.ts';

export interface HubPlace {
	readonly home: string;
	/** The folder with the configuration. */
	readonly cwd: string;
	readonly env: Record<string, string>;
	readonly folder: HubFolder;
	run(...words: string[]): Promise<MctlResult>;
	/** `mctl hub start`, and its pid. */
	start(): Promise<number>;
	/** The pid of the hub, when it runs. */
	runningPid(): Promise<number>;
	bridge(env?: Record<string, string>, flags?: readonly string[]): HubBridge;
	/** Pids of all hubs of this home that live. */
	hubs(): number[];
}

export interface HubBridge {
	readonly pid: number;
	readonly client: BridgeClient;
	stderr(): string;
	/** Send `initialize` and wait for its answer. */
	ready(): Promise<void>;
	kill(signal: NodeJS.Signals): void;
}

/** Make the project. `files` are written below the home; the project is `work`. */
export function openHubPlace(configuration: object = {}, files: Record<string, string> = {}): HubPlace {
	const home = realpathSync(temporaryFolder());
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	writeFiles(home, { 'work/orchestra.json': JSON.stringify(configuration), ...files });
	const env = homeVariables(home);
	const run = (...words: string[]): Promise<MctlResult> => mctl(words, { cwd, env });
	onTestFinished(async () => {
		await run('hub', 'stop', '--all', '--force');
		for (const pid of hubsOf(home)) process.kill(pid, 'SIGKILL');
		await until('nothing with this home is left', () => livingWith('HOME', home).length === 0);
	});
	const folder = new HubFolder(cwd, env);
	return {
		home,
		cwd,
		env,
		folder,
		run,
		runningPid: async () => {
			await until('the hub runs', () => folder.running() !== undefined);
			return folder.running()?.pid ?? Number.NaN;
		},
		start: async () => Number(JSON.parse((await run('hub', 'start', '--json')).stdout).pid),
		bridge: (more = {}, flags = []) => startHubBridge(cwd, { ...env, ...more }, flags),
		hubs: () => hubsOf(home),
	};
}

function startHubBridge(cwd: string, env: Record<string, string>, flags: readonly string[]): HubBridge {
	const child = startMctl(['bridge', ...flags], { cwd, env });
	let stderr = '';
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	const client = new BridgeClient(child.stdin, child.stdout);
	onTestFinished(() => {
		child.kill('SIGKILL');
	});
	return {
		pid: child.pid ?? 0,
		client,
		stderr: () => stderr,
		async ready() {
			client.send(initialize);
			await client.answer(1);
		},
		kill: (signal) => void child.kill(signal),
	};
}

function hubsOf(home: string): number[] {
	const pids = livingWith('HOME', home).filter((pid) => {
		try {
			const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
			return words.includes('hub') && words.includes('run');
		} catch {
			return false; // it ended while we looked
		}
	});
	// Between fork and exec a child has the command line of its parent, and no hub is the child of another one.
	return pids.filter((pid) => !pids.includes(parentOf(pid) ?? 0));
}

/** What is said of a hub that does not respond. */
const blockedMessage = (pid: number): RegExp =>
	new RegExp(`the hub \\(pid ${pid}\\) does not respond: its event loop has been blocked for \\d+ s`);

/** A hub that does not respond: `status` names it, `ls` lists it, `stop --force` ends it. Gives back stderr of `status`. */
export async function endBlockedHub(place: HubPlace, pid: number): Promise<string> {
	const status = await place.run('hub', 'status');
	expect([status.code, status.stderr]).toEqual([124, expect.stringMatching(blockedMessage(pid))]);
	const { hubs } = JSON.parse((await place.run('hub', 'ls', '--json')).stdout);
	expect(hubs).toMatchObject([{ pid, clients: null }]);
	expect((await place.run('hub', 'stop', '--force')).stdout).toBe('The hub is stopped.\n');
	expect(isAlive(pid)).toBe(false);
	return status.stderr;
}

/** The client of a bridge gets the reason while the hub is blocked, and is served by the same hub when it continues. */
export async function expectServedAfterBlock(
	place: HubPlace,
	block: (pid: number) => unknown,
	unblock: (pid: number) => unknown,
): Promise<void> {
	const bridge = place.bridge();
	await bridge.ready();
	const pid = await place.runningPid();
	await block(pid);
	for (const id of [2, 3])
		expect((await bridge.client.call(id, 'tools/list')).error?.message).toMatch(blockedMessage(pid));
	unblock(pid);
	await until(
		'it serves again',
		async () => (await bridge.client.call(Math.random().toString(), 'tools/list')).result !== undefined,
	);
	expect(place.hubs()).toEqual([pid]);
}
