/*
 * Two builds side by side: this one, and the last before workers had labels, taken from the
 * history of the repository. Both directions of hub and worker work, and what one does not
 * know does no harm.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { atEnd, atEndOfFile } from '../support/at-end.ts';
import { BridgeClient, initialize } from '../support/bridges.ts';
import { bundle } from '../support/bundle.ts';
import { offerFabric, runsIn, useFabric } from '../support/fabric-place.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');
/** The other build. */
const EARLIER = 'd837a8341a4f7917e4f1c28e7da07e1128045bfa';
const hasEarlier = spawnSync('git', ['cat-file', '-e', `${EARLIER}^{commit}`], { cwd: root }).status === 0;
/** Below the packages, so that its programs find them. */
const cache = join(root, `node_modules/.cache/orchestra-skew-${process.pid}`);

describe.skipIf(natsServer === undefined || !runsAllTests || !hasEarlier)('an earlier build', () => {
	beforeAll(() => {
		mkdirSync(cache, { recursive: true });
		atEndOfFile(() => rmSync(cache, { recursive: true, force: true }));
		const archive = spawnSync('git', ['archive', EARLIER], { cwd: root, maxBuffer: 512 * 1024 * 1024 });
		const unpacked = spawnSync('tar', ['x', '-C', cache], { input: archive.stdout });
		symlinkSync(join(root, 'node_modules'), join(cache, 'node_modules'));
		// Its types are those of its own dependencies, and these are the present ones.
		const builder = join(cache, 'scripts/build.mjs');
		writeFileSync(builder, readFileSync(builder, 'utf8').replace(/^tool\('types'.*$/m, ''));
		const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: cache });
		expect([archive.status, unpacked.status, built.status]).toEqual([0, 0, 0]);
	});

	it('as a worker serves a hub of this build, and a rule never chooses it', async () => {
		const { url } = await startNats();
		const file = join(temporaryFolder(), 'runs');
		await startEarlier('worker.mjs', [url, 'old', 'gpu', file]);
		const rules = [{ tools: ['gpu__who'], require: ['gpu'], prefer: [] }];
		const hub = await useFabric([url], { rules });
		await hub.sees('gpu__record');
		expect(await hub.call('gpu__record', { id: 'once' })).toBe('once');
		expect(await hub.call('gpu__big', { bytes: 3_000_000 })).toHaveLength(3_000_000);
		expect(runsIn(file)).toEqual(['old once']);
		expect(await hub.call('gpu__who')).toContain('does not have the label gpu');
		expect(hub.source.overview().groups[0]?.workers).toMatchObject([
			{ name: 'old', version: null, labels: [] },
		]);
	}, 90_000);

	it('as a hub calls a worker of this build, also beside an equal worker of its own', async () => {
		const { url } = await startNats();
		const { file } = await offerFabric([url], { name: 'new', group: 'gpu', labels: ['gpu'] });
		const old = join(temporaryFolder(), 'runs');
		await startEarlier('worker.mjs', [url, 'old', 'gpu', old]);
		const caller = await earlierHub(url);
		await until('it sees the tool', async () => (await caller('gpu__echo', { text: 'hi' })) === 'hi', 20_000);
		const ids = Array.from({ length: 40 }, (_none, at) => `call-${at}`);
		for (const id of ids) expect(await caller('gpu__record', { id })).toBe(id);
		const runs = [...runsIn(file), ...runsIn(old)].map((line) => line.split(' ')[1]);
		// Each once, and some at each of the workers.
		expect(runs.toSorted()).toEqual(ids.toSorted());
		expect(Math.min(runsIn(file).length, runsIn(old).length)).toBeGreaterThan(0);
	}, 90_000);
});

/** A program of the other build; resolves when it prints. */
async function startEarlier(program: string, args: readonly string[]): Promise<void> {
	const built = await bundle(join(cache, 'test/fixtures/fabric', program), join(cache, `built-${program}`));
	const child = spawn(process.execPath, [built, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
	atEnd(() => child.kill('SIGKILL'));
	await once(child.stdout, 'data');
}

/** `mctl serve` of the other build; calls a tool, one at a time. */
async function earlierHub(url: string): Promise<(tool: string, input: object) => Promise<string>> {
	const { cwd, env } = openHubPlace({ fabric: { servers: [url], name: 'old-hub' } });
	const child = spawn(process.execPath, [join(cache, 'dist/cli/main.js'), 'serve'], {
		cwd,
		env: { ...env, ORCHESTRA_TRUST: 'all' },
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	atEnd(() => child.kill('SIGKILL'));
	const client = new BridgeClient(child.stdin, child.stdout);
	client.send(initialize);
	await client.answer(1);
	let id = 1;
	return async (name, input) => {
		client.send({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: input } });
		const { result, error } = JSON.parse(await client.answer(id)) as {
			result?: { content: { text: string }[] };
			error?: { message: string };
		};
		return result?.content[0]?.text ?? `error: ${error?.message}`;
	};
}
