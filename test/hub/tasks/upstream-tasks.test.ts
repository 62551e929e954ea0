/* Tasks of servers: those that report their changes, and those whose connection is lost for a while. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import type { Fields } from '../../support/raw-client.ts';
import { type HubClient, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const program = resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs');
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('a task of a server that reports its changes', () => {
	it('ends when the server says so, long before its interval, with its result and elicitations', async () => {
		const polls = join(temporaryFolder(), 'polls');
		const work = { command: process.execPath, args: [program, 'modern'], env: { PUSH: '1', POLLS: polls } };
		const served = await serveServers({ work });
		const client = await served.client({ era: 'modern', capabilities });
		const [slow, asking] = await Promise.all([
			call(client, 'slow_compute', { seconds: 0.4, label: 'sum' }),
			call(client, 'multi_input'),
		]);
		await reaching(client, asking, ['input_required']);
		const accept = (content: object): object => ({ action: 'accept', content });
		const inputResponses = { name: accept({ name: 'Ada' }), color: accept({ color: 'red' }) };
		await client.request('tasks/update', { taskId: asking['taskId'], inputResponses });
		expect(JSON.stringify(await reaching(client, asking, ends))).toContain('Ada');
		expect(await reaching(client, slow, ends)).toMatchObject({ result: { content: [{ text: 'sum done' }] } });
		// The first, one when the subscription is acknowledged, one for each report and each answer: not one for each 50 ms.
		expect(readFileSync(polls, 'utf8').split('\n').length).toBeLessThan(14);
	});
});

describe('a task of a server elsewhere whose connection is lost', () => {
	it.each(['modern', 'legacy'])('is followed further when the server is reached again (%s)', async (form) => {
		const runs = join(temporaryFolder(), 'runs');
		const wire = await Wire.open(form, runs);
		const more = { tasks: { detachAfterMs: 50 } };
		const served = await serveServers({ work: { url: wire.url } }, { more });
		const client = await served.client({ era: 'modern', capabilities });
		const task = await call(client, 'slow_compute', { seconds: 0.6, label: 'sum' });
		await wire.cut();
		const cut = await reaching(client, task, ['working'], ({ statusMessage }) => statusMessage !== undefined);
		expect(cut['statusMessage']).toMatch(/^the server cannot be reached now: /);
		await wire.mend();
		expect(await reaching(client, task, ends)).toMatchObject({
			status: 'completed',
			result: { content: [{ text: 'sum done' }] },
		});
		expect(readFileSync(runs, 'utf8')).toBe('slow_compute sum\n');
	});
});

const ends = ['completed', 'failed', 'cancelled'];

/** A server behind a connection that can be cut. */
class Wire {
	readonly #port: number;
	readonly #sockets = new Set<Socket>();
	#server: Server | undefined;
	url = '';

	static async open(form: string, runs: string): Promise<Wire> {
		const env = { ...process.env, RUNS: runs, HTTP: '0' };
		const child = spawn(process.execPath, [program, form], { env, stdio: ['ignore', 'pipe', 'inherit'] });
		atEnd(() => child.kill('SIGKILL'));
		const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
		const wire = new Wire(Number(new URL(url).port));
		await wire.mend();
		atEnd(() => wire.cut());
		return wire;
	}

	private constructor(port: number) {
		this.#port = port;
	}

	async mend(): Promise<void> {
		const server = createServer((socket) => {
			const upstream = connect(this.#port, '127.0.0.1');
			for (const end of [socket, upstream]) {
				this.#sockets.add(end);
				end.on('error', () => {}).on('close', () => this.#sockets.delete(end));
			}
			socket.pipe(upstream).pipe(socket);
		});
		server.listen(this.url === '' ? 0 : Number(new URL(this.url).port), '127.0.0.1');
		await once(server, 'listening');
		const address = server.address();
		if (typeof address === 'object') this.url = `http://127.0.0.1:${address?.port}/mcp`;
		this.#server = server;
	}

	async cut(): Promise<void> {
		const server = this.#server;
		this.#server = undefined;
		if (server === undefined) return;
		const closed = once(server, 'close');
		server.close();
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}
}

function call(client: HubClient, tool: string, input: object = {}): Promise<Fields> {
	return client.request('tools/call', { name: `work__${tool}`, arguments: input });
}

async function reaching(
	client: HubClient,
	{ taskId }: Fields,
	statuses: readonly string[],
	test: (state: Fields) => boolean = () => true,
): Promise<Fields> {
	let state: Fields = {};
	await until('the task is in the wanted state', async () => {
		state = await client.request('tasks/get', { taskId });
		return statuses.includes(String(state['status'])) && test(state);
	});
	return state;
}
