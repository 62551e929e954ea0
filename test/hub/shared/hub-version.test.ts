/* A hub and bridges of different versions: two builds, which differ in the version of their package.json. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ageOfHub, compareVersions, newerFilesText } from '../../../src/hub/shared/hub-version.ts';
import { runsAllTests } from '../../support/all-tests.ts';
import { BridgeClient, initialize } from '../../support/bridges.ts';
import { type HubPlace, openHubPlace } from '../../support/hub-place.ts';
import { isAlive } from '../../support/programs.ts';
import { gateway } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const repository = resolve(import.meta.dirname, '../../..');
/** A scratch copy of the build with another version. */
const older: string = buildOf('0.0.1');
const ours: string = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version;

it('a hub that started before the files of its program were written is named with both times', () => {
	const hub = { pid: 7, startedAt: '2026-01-01T00:00:00.000Z' };
	expect(newerFilesText(hub, new Date('2026-01-01T00:00:01Z'))).toBe(
		'the hub (pid 7) started at 2026-01-01T00:00:00.000Z, before the files of this program were written (2026-01-01T00:00:01.000Z); to restart it: mctl hub stop && mctl hub start',
	);
	expect(newerFilesText(hub, new Date('2025-12-31T23:59:59Z'))).toBeUndefined();
});

describe('an idle hub of an older version', () => {
	it('is replaced by the next bridge', async () => {
		const { place, old } = await placeWithOldHub();
		const bridge = startBridge(place, repository);
		expect(await bridge.call(2)).toBe('hello');
		expect(isAlive(old)).toBe(false);
		expect(place.folder.running()).toMatchObject({ version: ours });
		expect(bridge.stderr()).not.toContain('older');
	});

	it.runIf(runsAllTests)('is replaced after its last client left', async () => {
		const { place, old } = await placeWithOldHub();
		const first = startBridge(place, older);
		expect(await first.call(2)).toBe('hello');
		first.client.end();
		await until('the hub has no client', async () => {
			const { hubs } = JSON.parse((await place.run('hub', 'ls', '--json')).stdout);
			return hubs[0]?.clients === 0;
		});
		expect(await startBridge(place, repository).call(2)).toBe('hello');
		expect([isAlive(old), place.folder.running()?.version]).toEqual([false, ours]);
	});

	it.runIf(runsAllTests)('is replaced once by four bridges that start at the same time', async () => {
		const { place, old } = await placeWithOldHub();
		const bridges = [1, 2, 3, 4].map(() => startBridge(place, repository));
		for (const bridge of bridges) expect(await bridge.call(2)).toBe('hello');
		await until('one hub is left', () => place.hubs().length === 1);
		expect([isAlive(old), place.folder.running()?.version]).toEqual([false, ours]);
	});

	it('loses no call of bridges of both versions that start at the same time', async () => {
		const { place } = await placeWithOldHub();
		const bridges = [repository, older, repository, older].map((build) => startBridge(place, build));
		const answers = await Promise.all(
			bridges.map(async (bridge) => [await bridge.call(2), await bridge.call(3)]),
		);
		expect(answers).toEqual(bridges.map(() => ['hello', 'hello']));
		await until('one hub is left', () => place.hubs().length === 1);
	});

	it.runIf(runsAllTests)(
		'is not replaced by an older bridge, which says that it should be started again',
		async () => {
			const { place } = await placeWithOldHub(repository);
			const hub = place.folder.running()?.pid;
			const bridge = startBridge(place, older);
			expect(await bridge.call(2)).toBe('hello');
			expect(place.folder.running()?.pid).toBe(hub);
			await until('it says so', () =>
				bridge.stderr().includes(`is ${ours}, newer than this program (0.0.1)`),
			);
		},
	);
});

describe('a hub of an older version that is in use', () => {
	it('stays, and the bridge says how to restart it; status and ls show the versions', async () => {
		const { place, old } = await placeWithOldHub();
		const first = startBridge(place, older);
		expect(await first.call(2)).toBe('hello');
		const second = startBridge(place, repository);
		expect(await second.call(2)).toBe('hello');
		expect(place.folder.running()?.pid).toBe(old);
		const text = `the hub (pid ${old}) is 0.0.1, older than this program (${ours})`;
		await until('it says so', () => second.stderr().includes(`${text}; the next bridge replaces it`));
		expect(second.stderr()).toContain('mctl hub stop && mctl hub start');
		const status = await place.run('hub', 'status');
		expect(status.stdout).toContain(text);
		expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).version).toBe('0.0.1');
		expect((await place.run('hub', 'ls')).stdout).toMatch(new RegExp(`^${old} +0\\.0\\.1 `, 'm'));
		expect(JSON.parse((await place.run('hub', 'ls', '--json')).stdout).hubs[0].version).toBe('0.0.1');
	});

	it.runIf(runsAllTests)('stays while a call runs whose client is the only one', async () => {
		const { place, old } = await placeWithOldHub();
		const first = startBridge(place, older);
		await first.call(2);
		first.client.send(callOf(3, 'files__sleep', { ms: 4000 }));
		const others = [startBridge(place, repository), startBridge(place, repository)];
		for (const other of others) expect(await other.call(2)).toBe('hello');
		expect(JSON.parse(await first.client.answer(3)).result.isError).not.toBe(true);
		expect(place.folder.running()?.pid).toBe(old);
	});

	it.runIf(runsAllTests)('stays when it serves HTTP', async () => {
		const { place, old } = await placeWithOldHub(undefined, ['--http']);
		expect(await startBridge(place, repository).call(2)).toBe('hello');
		expect(place.folder.running()?.pid).toBe(old);
	});
});

describe('versions', () => {
	it('are ordered as in semantic versioning', () => {
		const ordered = [
			'0.1.0-alpha',
			'0.1.0-alpha.1',
			'0.1.0-alpha.beta',
			'0.1.0-beta.2',
			'0.1.0-beta.11',
			'0.1.0',
		];
		const all = [...ordered, '0.1.1', '0.2.0', '0.10.0', '1.0.0'];
		for (const [at, one] of all.entries())
			for (const [index, other] of all.entries())
				expect(Math.sign(compareVersions(one, other))).toBe(Math.sign(at - index));
		expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0);
	});

	it('of anything are equal to themselves and never both lower', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (one, other) => {
				expect(compareVersions(one, one)).toBe(0);
				expect(compareVersions(one, other) < 0 && compareVersions(other, one) < 0).toBe(false);
			}),
		);
	});

	it('that a hub does not name are older', () => {
		expect(ageOfHub({ version: undefined }, ours)).toBe('older');
		expect(ageOfHub({ version: ours }, ours)).toBe('same');
	});
});

/** A project whose hub was started by another build: version 0.0.1, unless it is named. */
async function placeWithOldHub(build?: string, flags: readonly string[] = []) {
	const place = openHubPlace({ mcpServers: { files: gateway({ env: {} }) } });
	const child = start(place, build ?? older, ['hub', 'start', ...flags]);
	child.stdin.end();
	await new Promise((done) => child.once('close', done));
	return { place, old: await place.runningPid() };
}

function buildOf(version: string): string {
	const folder = temporaryFolder();
	cpSync(join(repository, 'dist'), join(folder, 'dist'), { recursive: true });
	for (const name of ['node_modules', 'data', 'library', 'examples', 'proto'])
		symlinkSync(join(repository, name), join(folder, name));
	const about = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, version }));
	return folder;
}

function start(
	{ cwd, env }: HubPlace,
	build: string,
	args: readonly string[],
): ChildProcessWithoutNullStreams {
	return spawn(process.execPath, [join(build, 'dist/cli/main.js'), ...args], {
		cwd,
		env: { ...process.env, ...env },
	});
}

function startBridge(place: HubPlace, build: string) {
	const child = start(place, build, ['bridge']);
	let stderr = '';
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	child.stdin.on('error', () => {}); // it may be gone when the test ends
	onTestFinished(() => void child.kill('SIGKILL'));
	const client = new BridgeClient(child.stdin, child.stdout);
	client.send(initialize);
	return {
		client,
		stderr: () => stderr,
		/** The text of a call of the server, or its error. */
		async call(id: number): Promise<string> {
			client.send(callOf(id, 'files__echo', { text: 'hello' }));
			const answer = JSON.parse(await client.answer(id));
			return answer.result?.content?.[0]?.text ?? JSON.stringify(answer);
		},
	};
}

function callOf(id: number, name: string, args: object): object {
	return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}
