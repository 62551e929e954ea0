/* The fabric as a user meets it: the built mctl on two machines, here two homes. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { atEnd } from '../support/at-end.ts';
import { BridgeClient, initialize } from '../support/bridges.ts';
import { offerFabric } from '../support/fabric-place.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { callServer } from '../support/mcp-folder.ts';
import { startMctl } from '../support/mctl.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { pluginWith } from '../support/plugins.ts';
import { isAlive } from '../support/programs.ts';
import { manifestOf } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';

const pythonTool = `import json, os, sys, time
request = json.loads(sys.stdin.readline())
open("pid", "w").write(str(os.getpid()))
def event(type, payload): print(json.dumps({"type": type, "ts": "2025-02-25T10:00:00.000Z", "toolId": "py-tool", "payload": payload}), flush=True)
event("start", {})
for step in range(1, int(request["input"].get("steps", 1)) + 1):
    event("progress", {"progress": step, "total": 3, "message": "step %d" % step})
    time.sleep(float(request["input"].get("pause", 0.03)))
event("result", {"ok": True, "data": {"from": "python"}})
`;

const trusted = { ORCHESTRA_TRUST: 'all' };

describe.skipIf(natsServer === undefined)('mctl with a fabric', () => {
	it('calls a Python tool, an MCP server and a plugin of another hub, through serve and bridge', async () => {
		const { url } = await startNats();
		const far = openHubPlace(
			{
				fabric: { servers: [url], name: 'gpu-box', offer: ['py-tool', 'py__*', 'shout', 'big'] },
				tools: { roots: ['./tools'] },
				mcpServers: { py: { ...callServer, env: { COMPACT: '1' } } },
				plugins: [
					pluginWith(
						'tools.loud',
						`shout: tool(({ text }) => String(text).toUpperCase()), big: tool(({ bytes }) => 'x'.repeat(Number(bytes)))`,
					),
				],
			},
			{
				'work/tools/py-tool/manifest.json': manifestOf('py-tool', { command: ['python3', 'main.py'] }),
				'work/tools/py-tool/main.py': pythonTool,
			},
		);
		const near = openHubPlace({ fabric: { servers: [url], name: 'laptop', use: ['*'] } });
		const worker = startMctl(['worker'], { cwd: far.cwd, env: { ...far.env, ...trusted } });
		atEnd(() => worker.kill('SIGKILL'));
		let log = '';
		worker.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
		await until('the worker offers', () => log.includes('tools to the fabric'));
		for (const command of ['serve', 'bridge']) {
			const child = startMctl([command], { cwd: near.cwd, env: { ...near.env, ...trusted } });
			atEnd(() => child.kill('SIGKILL'));
			const client = new BridgeClient(child.stdin, child.stdout);
			client.send(initialize);
			await client.answer(1);
			await callAll(client, join(far.cwd, 'tools/py-tool/pid'));
			// As text: a number of JavaScript has 17 digits.
			child.stdin.write(
				'{"jsonrpc":"2.0","id":31,"method":"tools/call","params":{"name":"gpu-box__py__add","arguments":{"numbers":[1234567890123456789012344,1]}}}\n',
			);
			expect(await client.answer(31)).toMatch(/"total": ?1234567890123456789012345[,}]/);
			// The bridge has started the shared hub, whose link is another one than that of the command.
			const isShared = command === 'bridge';
			const shown = (await near.run('fabric', 'status')).stdout;
			expect(/^The running hub is connected to .*:\d+$/m.test(shown)).toBe(isShared);
			const checked = (await near.run('doctor', '--check')).stdout;
			expect(checked.includes('fabric: the running hub is connected to')).toBe(isShared);
			child.stdin.end();
			await once(child, 'exit');
		}
		const status = await near.run('fabric', 'status', '--json');
		expect(JSON.parse(status.stdout)).toMatchObject({
			name: 'laptop',
			offers: [{ name: 'gpu-box', workers: ['gpu-box'] }],
		});
		expect((await near.run('list')).stdout).toMatch(/gpu-box__shout +fabric/);
		expect((await near.run('run', 'gpu-box__shout', 'text=hi')).stdout).toContain('HI');
		// Above the limit of a result: only the hub of the client may shorten it.
		const { stdout: big } = await near.run('run', 'gpu-box__big', 'bytes=5000000');
		expect(big.includes('x'.repeat(5_000_000))).toBe(true);
		worker.kill('SIGTERM');
		const [code] = await once(worker, 'exit');
		expect(code).toBe(0);
		expect((await near.run('run', 'gpu-box__shout', 'text=hi')).code).not.toBe(0);
		const after = (await near.run('fabric', 'status')).stdout;
		expect(after).toContain('No worker advertises a tool.');
		expect(after).toContain(', 1 replica)');
	});

	it('finishes a running call however long it takes, when the worker is stopped', async () => {
		const { url } = await startNats();
		const far = openHubPlace(
			{ fabric: { servers: [url], name: 'nas' }, tools: { roots: ['./tools'] } },
			{
				'work/tools/py-tool/manifest.json': manifestOf('py-tool', { command: ['python3', 'main.py'] }),
				'work/tools/py-tool/main.py': pythonTool,
			},
		);
		const near = openHubPlace({ fabric: { servers: [url], name: 'laptop' } });
		const worker = startMctl(['worker', '--json'], { cwd: far.cwd, env: { ...far.env, ...trusted } });
		atEnd(() => worker.kill('SIGKILL'));
		let log = '';
		worker.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
		const [line] = await once(worker.stdout, 'data');
		const ready = { schema: 'orchestra.worker/1', name: 'nas', group: 'nas', tools: ['py-tool'] };
		expect(JSON.parse(String(line))).toEqual(ready);
		const call = startMctl(['run', '--json', 'nas__py-tool', 'steps=3', `pause=${runsAllTests ? 5 : 0.5}`], {
			cwd: near.cwd,
			env: { ...near.env, ...trusted },
		});
		const closed = once(call, 'close');
		let events = '';
		call.stdout.on('data', (chunk: Buffer) => (events += chunk.toString('utf8')));
		await until('it runs', () => events.includes('step 1'));
		worker.kill('SIGTERM');
		const [code] = await once(worker, 'exit');
		expect(code).toBe(0);
		expect(log).toContain('stopping: 1 calls of other hubs still run');
		await closed;
		expect(events).toContain('python');
	});

	it('refuses a server that it cannot use, with the reason', async () => {
		const { url } = await startNats({ configuration: 'max_payload: 64KB' });
		const place = openHubPlace({ fabric: { servers: [url], name: 'nas' } });
		const { code, stderr } = await place.run('worker');
		expect(stderr).toContain('takes messages of 65536 bytes only');
		expect(code).toBe(64);
	});

	it('offers from the shared hub, which finishes a running call when it is stopped', async () => {
		const { url } = await startNats();
		const far = openHubPlace(
			{ fabric: { servers: [url], name: 'nas', offer: ['py-tool'] }, tools: { roots: ['./tools'] } },
			{
				'work/tools/py-tool/manifest.json': manifestOf('py-tool', { command: ['python3', 'main.py'] }),
				'work/tools/py-tool/main.py': pythonTool,
			},
		);
		Object.assign(far.env, trusted);
		const near = openHubPlace({ fabric: { servers: [url], name: 'laptop' } });
		await far.start();
		const child = startMctl(['serve'], { cwd: near.cwd, env: { ...near.env, ...trusted } });
		atEnd(() => child.kill('SIGKILL'));
		const client = new BridgeClient(child.stdin, child.stdout);
		client.send(initialize);
		await client.answer(1);
		await listed(client, ['nas__py-tool']);
		const progress = { progressToken: 1 };
		const input = { steps: 3, pause: 0.5 };
		client.send({
			jsonrpc: '2.0',
			id: 5,
			method: 'tools/call',
			params: { name: 'nas__py-tool', arguments: input, _meta: progress },
		});
		await until('it runs', () => client.lines.some((line) => line.includes('notifications/progress')));
		await far.run('hub', 'stop');
		expect(await client.answer(5)).toContain('python');
	});

	it('follows the fabric with status --watch until it is ended, and doctor asks the server', async () => {
		const server = await startNats();
		const place = openHubPlace({ fabric: { servers: [server.url], name: 'laptop' } });
		Object.assign(place.env, trusted);
		const { worker } = await offerFabric([server.url], { name: 'nas', labels: ['zone=a'] });
		await worker.advertised;
		const findings = await place.run('doctor', '--check');
		expect(findings.stdout).toMatch(/fabric: 127\.0\.0\.1:\d+ answers/);
		expect(findings.stdout).toContain('fabric: nas has 1 worker');
		const watch = startMctl(['fabric', 'status', '--watch', '--json'], { cwd: place.cwd, env: place.env });
		atEnd(() => watch.kill('SIGKILL'));
		// As in `mctl fabric status --watch | head -1`.
		const unread = startMctl(['fabric', 'status', '--watch'], { cwd: place.cwd, env: place.env });
		atEnd(() => unread.kill('SIGKILL'));
		const left = once(unread, 'exit');
		unread.stdout.once('data', () => unread.stdout.destroy());
		let text = '';
		watch.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
		await until('it has reported', () => text.includes('\n'), 15_000);
		expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
			link: { state: 'up' },
			offers: [{ name: 'nas', workerFacts: [{ name: 'nas', labels: ['zone=a'], isDraining: false }] }],
		});
		expect(await left).toEqual([0, null]);
		await server.kill();
		await until('it reports the lost link', () => text.includes('"state":"down"'), 15_000);
		watch.kill('SIGINT');
		await once(watch, 'exit');
	}, 60_000);

	it('makes keys that only the user can read, and a configuration with every member', async () => {
		const place = openHubPlace({});
		const invited = await place.run('fabric', 'invite', 'gpu-1', '--offer=gpu');
		expect(invited.stdout).toMatch(/nkey: U[A-Z2-7]{55}/);
		expect(invited.stdout).toContain('"group": "gpu"');
		expect(invited.stdout).not.toMatch(/\bSU[A-Z2-7]{56}\b/);
		const { statSync } = await import('node:fs');
		expect(statSync(`${place.home}/.orchestra/fabric/gpu-1.nk`).mode & 0o777).toBe(0o600);
		expect((await place.run('fabric', 'invite', 'gpu-1')).code).toBe(64);
		// No configuration takes these names.
		for (const args of [['*'], ['gpu__1'], ['gpu-2', '--offer=a.b'], ['gpu-2', '--use', 'a*']])
			expect((await place.run('fabric', 'invite', ...args)).stderr).toContain(
				'is not a name: letters, digits',
			);
		const ci = JSON.parse(
			(await place.run('fabric', 'invite', 'ci', '--offer', '--use', 'gpu', '--json')).stdout,
		);
		expect(ci).toMatchObject({ name: 'ci', settings: { name: 'ci', offer: ['*'], use: ['gpu__*'] } });
		const config = await place.run('fabric', 'config');
		expect(config.stdout).toMatch(/# admin\n.*# gpu-1\n.*# ci\n/);
		expect((await place.run('fabric', 'config', '--listen', '0.0.0.0:4222')).stderr).toContain(
			'needs --cert and --key',
		);
	});

	it('loads nothing of NATS without the setting', async () => {
		const place = openHubPlace({});
		const line = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
		const child = startMctl(['serve'], { cwd: place.cwd, env: { ...place.env, NODE_DEBUG: 'module,esm' } });
		let loaded = '';
		child.stderr.on('data', (chunk: Buffer) => (loaded += chunk.toString('utf8')));
		child.stdin.end(line);
		await once(child, 'exit');
		expect(loaded).not.toContain('nats-io');
	});
});

/** @param pidFile where the Python tool writes its process id */
async function callAll(client: BridgeClient, pidFile: string): Promise<void> {
	await listed(client, ['gpu-box__py-tool', 'gpu-box__py__add', 'gpu-box__shout']);
	const call = async (id: number, name: string, input: object): Promise<string> => {
		client.send({
			jsonrpc: '2.0',
			id,
			method: 'tools/call',
			params: { name, arguments: input, _meta: { progressToken: id } },
		});
		return await client.answer(id);
	};
	expect(await call(11, 'gpu-box__py-tool', { steps: 3 })).toContain('python');
	expect(client.lines.some((line) => line.includes('"progressToken":11'))).toBe(true);
	expect(await call(12, 'gpu-box__py__add', { numbers: [1, 2] })).toContain('3');
	expect(await call(13, 'gpu-box__shout', { text: 'hello' })).toContain('HELLO');
	const params = {
		name: 'gpu-box__py-tool',
		arguments: { steps: 100, pause: 0.3 },
		_meta: { progressToken: 14 },
	};
	client.send({ jsonrpc: '2.0', id: 14, method: 'tools/call', params });
	await until('it runs', () => client.lines.some((line) => line.includes('"progressToken":14')));
	client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 14 } });
	const pid = Number(readFileSync(pidFile, 'utf8'));
	await until('the remote tool is stopped', () => !isAlive(pid));
	// A canceled call gets no answer; the next one does.
	expect(await call(15, 'gpu-box__shout', { text: 'still here' })).toContain('STILL HERE');
}

/** Wait until the client sees these tools. */
async function listed(client: BridgeClient, names: readonly string[]): Promise<void> {
	let id = 100;
	await until(`${names.join(', ')} are listed`, async () => {
		client.send({ jsonrpc: '2.0', id: ++id, method: 'tools/list' });
		const text = await client.answer(id);
		return names.every((name) => text.includes(`"${name}"`));
	});
}
