/* Tasks of a server elsewhere, which goes on while the hub ends and starts again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import { offerFabric, runsIn } from '../../support/fabric-place.ts';
import { startMctl } from '../../support/mctl.ts';
import { natsServer, startNats } from '../../support/nats-server.ts';
import { type Fields, modernMeta } from '../../support/raw-client.ts';
import { type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const program = resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs');
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('a task of a server elsewhere', () => {
	it('is followed to its end by the next hub after a kill, and runs once', async () => {
		const { folder, url, runs } = await place('modern');
		writeFiles(folder, { 'orchestra.json': JSON.stringify({ mcpServers: { work: { url } } }) });
		const first = serveProcess(folder);
		const task = await first.task('work__slow_compute', { seconds: 1.5, label: 'sum' });
		first.child.kill('SIGKILL');
		await once(first.child, 'close');
		expect(await serveProcess(folder).ended(task)).toMatchObject(completed('sum done'));
		expect(runs()).toEqual(['slow_compute sum']);
	});

	it.each(['modern', 'legacy'])('is left by a hub that ends, and taken by the next (%s)', async (form) => {
		const { runs, ...at } = await place(form);
		const served = await serve(at);
		const task = await call(await modern(served), 'slow_compute', { seconds: 0.5, label: 'sum' });
		const next = await modern(await served.again());
		expect(await ended(next, task)).toMatchObject({ status: 'completed', result: { content: [{}] } });
		expect(runs()).toEqual(['slow_compute sum']);
	});

	it('retains its input requests, and an answer that comes before the server repeats them', async () => {
		const served = await serve(await place('modern'));
		const first = await modern(served);
		const task = await call(first, 'multi_input');
		const { taskId } = task;
		const elicited = await reaching(first, task, 'input_required');
		expect(Object.keys(elicited['inputRequests'] as object)).toEqual(['name', 'color']);
		const next = await modern(await served.again());
		const accept = (content: object): object => ({ action: 'accept', content });
		const inputResponses = { name: accept({ name: 'Ada' }), color: accept({ color: 'red' }) };
		await next.request('tasks/update', { taskId, inputResponses });
		expect(JSON.stringify(await ended(next, task))).toContain('Ada');
	});

	it('can be canceled by the next hub', async () => {
		const served = await serve(await place('modern'));
		const task = await call(await modern(served), 'slow_compute', { seconds: 60 });
		const next = await modern(await served.again());
		await next.request('tasks/cancel', { taskId: task['taskId'] });
		expect(await ended(next, task)).toMatchObject({ status: 'cancelled' });
	});

	it('has failed with an unknown outcome when the server does not know it any more', async () => {
		const at = await place('modern');
		const served = await serve(at);
		const task = await call(await modern(served), 'slow_compute', { seconds: 60 });
		await served.close();
		at.child.kill('SIGKILL');
		await once(at.child, 'close');
		await place('modern', Number(new URL(at.url).port));
		expect(await ended(await modern(await serve(at)), task)).toMatchObject(unknown);
	});

	it('is not looked for at another address, where another task has its id', async () => {
		const [at, other] = [await place('modern'), await place('modern')];
		for (const each of [at, other])
			await call(await modern(await serve(each)), 'slow_compute', { seconds: 60 });
		const served = await serve(at);
		const task = await call(await modern(served), 'slow_compute', { seconds: 60 });
		await served.close();
		const next = await serve({ folder: at.folder, url: other.url });
		expect(await ended(await modern(next), task)).toMatchObject(unknown);
	});
});

describe.skipIf(natsServer === undefined)('a task at a worker of the fabric', () => {
	it('is followed to its end, or canceled, by the next hub after a kill, and runs once', async () => {
		const { folder, file, worker } = await fabricPlace();
		const first = serveProcess(folder);
		const short = await first.task('box__record', { id: 'short', ms: 300 });
		const long = await first.task('box__record', { id: 'long', ms: 2500 });
		const endless = await first.task('box__slow', { ms: 60_000 });
		first.child.kill('SIGKILL');
		await once(first.child, 'close');
		await until('the worker has the result of the short one', () => worker.running === 2);
		const second = serveProcess(folder);
		await second.request('tasks/cancel', { taskId: endless['taskId'] });
		expect(await second.ended(short)).toMatchObject(completed('short'));
		expect(await second.ended(long)).toMatchObject(completed('long'));
		expect(await second.ended(endless)).toMatchObject({ status: 'cancelled' });
		await until('the worker stops it', () => runsIn(file).includes('box canceled'));
		expect(runsIn(file)).toEqual(['box short', 'box long', 'box slow', 'box canceled']);
	});

	it('is left by a hub that ends, and taken by the next', async () => {
		const { folder, file } = await fabricPlace();
		const first = serveProcess(folder);
		const task = await first.task('box__record', { id: 'sum', ms: 1000 });
		first.child.kill('SIGTERM');
		await once(first.child, 'close');
		expect(await serveProcess(folder).ended(task)).toMatchObject(completed('sum'));
		expect(runsIn(file)).toEqual(['box sum']);
	});

	it('has failed with an unknown outcome when its worker has another process', async () => {
		const { folder, file, worker, servers } = await fabricPlace();
		const first = serveProcess(folder);
		const task = await first.task('box__record', { id: 'sum', ms: 60_000 });
		first.child.kill('SIGKILL');
		await worker.close();
		await offerFabric(servers, { name: 'box' });
		expect(await serveProcess(folder).ended(task)).toMatchObject(unknown);
		expect(runsIn(file)).toEqual(['box sum']);
	});
});

function completed(text: string): object {
	return { status: 'completed', result: { content: [{ text }] } };
}

const unknown = { status: 'failed', error: { data: { outcome: 'unknown' } } };

interface Place {
	readonly folder: string;
	readonly url: string;
}

/** A folder, and a server that listens. */
async function place(form: string, port = 0): Promise<Place & { child: ChildProcess; runs(): string[] }> {
	const folder = temporaryFolder();
	const RUNS = join(folder, 'runs');
	const env = { ...process.env, RUNS, HTTP: String(port) };
	const child = spawn(process.execPath, [program, form], { env, stdio: ['ignore', 'pipe', 'inherit'] });
	atEnd(() => child.kill('SIGKILL'));
	const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
	return { folder, url, child, runs: () => readFileSync(RUNS, 'utf8').trim().split('\n') };
}

function serve({ folder, url }: Place): Promise<ServedHub> {
	return serveServers({ work: { url } }, { folder, more: { tasks: { detachAfterMs: 50 } } });
}

function modern(served: ServedHub): Promise<HubClient> {
	return served.client({ era: 'modern', capabilities });
}

function call(client: HubClient, tool: string, input: object = {}): Promise<Fields> {
	return client.request('tools/call', { name: `work__${tool}`, arguments: input });
}

function reaching(client: HubClient, task: Fields, ...statuses: string[]): Promise<Fields> {
	return stateOf((taskId) => client.request('tasks/get', { taskId }), task, statuses);
}

function ended(client: HubClient, task: Fields): Promise<Fields> {
	return reaching(client, task, 'completed', 'failed', 'cancelled');
}

async function stateOf(
	get: (taskId: unknown) => Promise<Fields>,
	{ taskId }: Fields,
	statuses: readonly string[],
): Promise<Fields> {
	let state: Fields = {};
	await until(`the task is ${statuses.join(' or ')}`, async () => {
		state = await get(taskId);
		return statuses.includes(String(state['status']));
	});
	return state;
}

/** A worker, and a folder whose hub uses its tools; each call becomes a task. */
async function fabricPlace(): Promise<
	{ folder: string; servers: string[] } & Awaited<ReturnType<typeof offerFabric>>
> {
	const servers = [(await startNats()).url];
	const folder = temporaryFolder();
	const fabric = { servers, name: 'laptop', use: ['*'] };
	writeFiles(folder, { 'orchestra.json': JSON.stringify({ fabric, tasks: { always: ['*'] } }) });
	return { folder, servers, ...(await offerFabric(servers, { name: 'box', drainMs: 0 })) };
}

/** `mctl serve`, and a client with tasks. */
function serveProcess(folder: string): {
	child: ChildProcess;
	request(method: string, params: Fields): Promise<Fields>;
	/** A call that became a task. */
	task(name: string, input: Fields): Promise<Fields>;
	ended(task: Fields): Promise<Fields>;
} {
	const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ORCHESTRA_TRUST: 'all' };
	const child = startMctl(['serve'], { cwd: folder, env });
	atEnd(() => child.kill('SIGKILL'));
	const waiting = new Map<unknown, (result: Fields) => void>();
	createInterface({ input: child.stdout }).on('line', (line) => {
		const { id, result } = JSON.parse(line);
		waiting.get(id)?.(result);
	});
	const request = (method: string, params: Fields): Promise<Fields> =>
		new Promise((settle) => {
			const id = waiting.size + 1;
			waiting.set(id, settle);
			const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta(capabilities) } };
			child.stdin.write(`${JSON.stringify(message)}\n`);
		});
	return {
		child,
		request,
		async task(name, input) {
			const created = await request('tools/call', { name, arguments: input });
			expect(created).toMatchObject({ resultType: 'task', status: 'working' });
			return created;
		},
		ended: (task) =>
			stateOf((taskId) => request('tasks/get', { taskId }), task, ['completed', 'failed', 'cancelled']),
	};
}
