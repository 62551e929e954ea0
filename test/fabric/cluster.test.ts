/*
 * A cluster as an operator makes it: the files of `mctl fabric config --cluster` in three
 * real servers, members that are invited, rotated, drained and revoked while they run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { atEnd } from '../support/at-end.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { startMctl } from '../support/mctl.ts';
import { freePort, natsServer } from '../support/nats-server.ts';
import { manifestOf } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

const trusted = { ORCHESTRA_TRUST: 'all' };
const shellTool = `read -r request
echo '{"type":"result","ts":"2025-02-25T10:00:00.000Z","toolId":"hello","payload":{"ok":true,"data":{"from":"shell"}}}'
`;

describe.skipIf(natsServer === undefined || !runsAllTests)('a cluster that mctl configured', () => {
	it('serves members over TLS, and rotates, drains and revokes them while it runs', async () => {
		const boss = openHubPlace({});
		Object.assign(boss.env, trusted);
		for (const [name, ...more] of [['laptop'], ['gpu-1', '--offer=gpu'], ['gpu-2', '--offer=gpu']])
			await boss.run('fabric', 'invite', name ?? '', ...more);
		const ports = [await freePort(), await freePort(), await freePort()];
		const cluster = ports.map((port) => `localhost:${port}`).join(',');
		const configure = (): Promise<{ stdout: string }> =>
			boss.run('fabric', 'config', '--cluster', cluster, '--out', 'nats', '--store', 'data', '--json');
		const { nodes, servers, ca } = JSON.parse((await configure()).stdout) as Written;
		const processes = nodes.map(({ folder }) => startNode(join(folder, 'nats.conf')));
		for (const port of ports) await until('the cluster has a leader', () => isHealthy(port + 4000), 60_000);
		const place = (name: string, more: object): HubPlace =>
			memberPlace(boss, { name, servers, ca, credentials: '${file:~/.orchestra/fabric.nk}', ...more });
		const near = place('laptop', { use: ['gpu__*'] });
		const reload = async (): Promise<void> => {
			await configure();
			for (const child of processes) child.kill('SIGHUP');
		};

		const seed = seedOf(boss, 'laptop');
		const fabric = { servers, ca, name: 'laptop', credentials: `\${file:${seed}}` };
		writeFiles(boss.cwd, { 'orchestra.json': JSON.stringify({ fabric }) });
		expect((await boss.run('fabric', 'setup')).stdout).toContain('with 3 replicas');
		const workers = ['gpu-1', 'gpu-2'].map((name) =>
			startWorkerOf(place(name, { group: 'gpu', labels: [`at=${name}`] })),
		);
		for (const worker of workers)
			await until('it offers', () => worker.log.includes('tools to the fabric'), 20_000);
		const call = (): Promise<{ stdout: string; stderr: string }> => near.run('run', 'gpu__hello', '--json');
		expect((await call()).stdout).toContain('shell');

		const status = JSON.parse((await boss.run('fabric', 'status', '--json')).stdout);
		expect(status).toMatchObject({
			cluster: 'fabric',
			replicas: 3,
			offers: [{ workers: ['gpu-1', 'gpu-2'] }],
		});
		expect((await near.run('doctor', '--check')).stdout).toContain('fabric: gpu has 2 workers, 1 tool');

		// A worker is drained by name, and the other one gets the calls.
		expect((await boss.run('fabric', 'drain', 'gpu-1')).stdout).toContain('gpu-1: it runs no calls');
		expect((await boss.run('fabric', 'status')).stdout).toMatch(/gpu-1 .* draining .*at=gpu-1/);
		expect((await call()).stdout).toContain('shell');
		expect((await boss.run('fabric', 'drain', 'gpu-1', '--resume')).stdout).toContain('accepts calls again');

		// A key is rotated without a pause: the worker connects again by itself, with the new one.
		await boss.run('fabric', 'rotate', 'gpu-1');
		await reload();
		copyFileSync(seedOf(boss, 'gpu-1'), join(workers[0]?.place.home ?? '', '.orchestra/fabric.nk'));
		await boss.run('fabric', 'rotate', 'gpu-1', '--finish');
		const before = workers[0]?.log.split('connected to the fabric').length ?? 0;
		await reload();
		await until(
			'it has connected with its new key',
			() => (workers[0]?.log.split('connected to the fabric').length ?? 0) > before,
			20_000,
		);

		// A revoked one is disconnected at once, and never gets in again.
		// Without a leader, which is said as such; a worker may not ask whether there is a bucket.
		const dead = nodes.slice(1);
		const said = (): string => workers[0]?.log ?? '';
		for (const child of processes.splice(1)) await ended(child);
		await until(
			'the worker misses a leader',
			() => said().includes('elects a leader of the bucket, or has lost more than half'),
			60_000,
		);
		for (const { folder } of dead) processes.push(startNode(join(folder, 'nats.conf')));
		await until(
			'the worker has one again',
			() => said().includes('the advertisement is published again'),
			60_000,
		);
		expect(said()).not.toContain('no bucket');
		expect(said()).not.toContain('does not permit');

		expect((await boss.run('fabric', 'revoke', 'gpu-2')).stdout).toContain('gpu-2 is no member any more');
		await reload();
		await until(
			'it is out',
			() => /cannot be reached: .*[Aa]uthorization/.test(workers[1]?.log ?? ''),
			20_000,
		);
		await until('the other one gets all calls', async () => (await call()).stdout.includes('shell'), 20_000);
		expect((await boss.run('fabric', 'revoke', 'gpu-2')).stderr).toContain('there is no member called gpu-2');
	}, 180_000);
});

interface Written {
	readonly nodes: readonly { readonly folder: string }[];
	readonly servers: readonly string[];
	readonly ca: string;
}

function startNode(file: string): ChildProcess {
	const child = spawn(natsServer ?? 'nats-server', ['-c', file], { stdio: 'ignore' });
	atEnd(() => ended(child));
	return child;
}

async function ended(child: ChildProcess): Promise<void> {
	const exited = once(child, 'exit');
	if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await exited;
}

async function isHealthy(port: number): Promise<boolean> {
	const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
	return answer?.ok === true;
}

function seedOf(boss: HubPlace, name: string): string {
	return join(boss.home, '.orchestra/fabric', `${name}.nk`);
}

/** The machine of a member, with its key. */
function memberPlace(
	boss: HubPlace,
	fabric: { readonly name: string; readonly [key: string]: unknown },
): HubPlace {
	const isWorker = fabric['group'] !== undefined;
	const place = openHubPlace(
		{ fabric, ...(isWorker && { tools: { roots: ['./tools'] } }) },
		{
			'.orchestra/fabric.nk': '',
			'work/tools/hello/manifest.json': manifestOf('hello', { command: ['sh', 'main.sh'] }),
			'work/tools/hello/main.sh': shellTool,
		},
	);
	copyFileSync(seedOf(boss, fabric.name), join(place.home, '.orchestra/fabric.nk'));
	Object.assign(place.env, trusted);
	return place;
}

function startWorkerOf(place: HubPlace): { readonly place: HubPlace; readonly log: string } {
	const child = startMctl(['worker'], { cwd: place.cwd, env: place.env });
	atEnd(() => child.kill('SIGKILL'));
	const started = { place, log: '' };
	child.stderr.on('data', (chunk: Buffer) => (started.log += chunk.toString('utf8')));
	return started;
}
