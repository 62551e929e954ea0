/* Pipelined requests and silent connections, with raw sockets, curl and the HTTP client of Python. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { provide } from '../../src/mcp/define/serve.ts';
import {
	encodedRequest,
	hangingProvider,
	modernRequest,
	openListener,
	openSocket,
	send,
	TOKEN,
} from '../support/http-listener.ts';
import { until } from '../support/waiting.ts';

const run = promisify(execFile);
const list = modernRequest('tools/list');
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('requests in one write', () => {
	it('are answered in turn, and each call runs once', async () => {
		const { provider, calls } = countingProvider();
		const { url } = await openListener({ provider });
		const requests = [1, 2, 3].map((number) => call(url, number));
		const replies = await repliesTo(url, requests.join(''), 3);
		expect(replies.match(/called-\d/g)).toEqual(['called-1', 'called-2', 'called-3']);
		expect(calls).toEqual([1, 2, 3]);
	});

	it('are answered in turn wherever the bytes are cut', async () => {
		const { provider, calls } = countingProvider();
		const { url } = await openListener({ provider });
		const bytes = [1, 2].map((number) => call(url, number)).join('');
		const socket = openSocket(url).setNoDelay();
		const replies = collected(socket);
		for (let at = 0; at < bytes.length; at += 97) socket.write(bytes.slice(at, at + 97));
		await until('both replies are there', () => replies().match(/called-\d/g)?.length === 2);
		socket.destroy();
		expect(calls).toEqual([1, 2]);
	});

	it('in hundreds are all answered, in their order', async () => {
		const { provider } = countingProvider();
		const { url } = await openListener({ provider });
		const count = 1000;
		const requests = Array.from({ length: count }, (_, at) => call(url, at));
		const replies = await repliesTo(url, requests.join(''), count);
		const order = replies.match(/called-\d+/g)?.map((word) => Number(word.slice('called-'.length)));
		expect(order).toEqual(Array.from({ length: count }, (_, at) => at));
	});

	it('run no more after the client is gone: the first is canceled, the second never starts', async () => {
		const hanging = hangingProvider();
		const { url } = await openListener({ provider: hanging.provider });
		const socket = openSocket(url);
		const hang = encodedRequest(url, modernRequest('tools/call', { name: 'hang' }));
		socket.write(hang + hang);
		await hanging.started;
		socket.destroy();
		await hanging.canceled;
		expect((await send(url, list)).status).toBe(200);
	});

	it('after one that is refused are not served: the connection closes', async () => {
		const { provider, calls } = countingProvider();
		const { url } = await openListener({ provider });
		const socket = openSocket(url);
		socket.write(call(url, 1).replace(TOKEN, 'wrong') + call(url, 2));
		expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /);
		expect(calls).toEqual([]);
	});

	it.runIf(hasPython)('of a Python program are answered in turn', async () => {
		const { provider } = countingProvider();
		const { url } = await openListener({ provider });
		const program = `
import socket, sys
from http.client import HTTPResponse
sock = socket.create_connection(('127.0.0.1', ${new URL(url).port}))
sock.sendall(sys.argv[1].encode())
source = sock.makefile('rb')
class Shared:
    def makefile(self, mode): return source
for _ in range(2):
    reply = HTTPResponse(Shared()); reply._close_conn = lambda: None
    reply.begin(); print(reply.status, reply.read().decode())
`;
		const { stdout } = await run('python3', ['-c', program, call(url, 1) + call(url, 2)]);
		expect(stdout).toMatch(/^200 .*called-1.*\n200 .*called-2/);
	});
});

describe('256 connections that send nothing', () => {
	it('lock no client out: raw sockets, and requests on new connections', async () => {
		const { url } = await openListener();
		const silent = await silentConnections(url, 256);
		expect((await send(url, list)).status).toBe(200);
		expect(await repliesTo(url, encodedRequest(url, list), 1)).toContain('HTTP/1.1 200');
		expect(silent.filter((socket) => !socket.destroyed).length).toBeGreaterThan(200);
	});

	it.runIf(hasCurl)('do not keep curl out', async () => {
		const { url } = await openListener();
		await silentConnections(url, 256);
		const headers = Object.entries({ ...list.headers, 'Content-Type': 'application/json' });
		const flags = headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
		const body = JSON.stringify(list.body);
		const auth = ['-H', `Authorization: Bearer ${TOKEN}`];
		const { stdout } = await run('curl', ['-sS', '--max-time', '10', ...auth, ...flags, '-d', body, url]);
		expect(JSON.parse(stdout).result.tools).not.toEqual([]);
	});

	it('are closed before one between two requests, and that one before none', async () => {
		const { url } = await openListener({ limits: { connections: 2 } });
		const used = openSocket(url);
		const replies = collected(used);
		used.write(encodedRequest(url, list));
		await until('the first reply is there', () => replies().includes('HTTP/1.1 200'));
		const [silent] = await silentConnections(url, 1);
		expect((await send(url, list)).status).toBe(200);
		await until('the silent one is closed', () => silent?.destroyed ?? false);
		expect(used.destroyed).toBe(false);
	});

	it('take no connection with a request in flight: a further one is closed at once', async () => {
		const hanging = hangingProvider();
		const { url } = await openListener({ provider: hanging.provider, limits: { connections: 1 } });
		const busy = openSocket(url).resume();
		busy.write(encodedRequest(url, modernRequest('tools/call', { name: 'hang' })));
		await hanging.started;
		const further = openSocket(url);
		await once(further.resume(), 'close');
		expect(busy.destroyed).toBe(false);
		busy.destroy();
		await until(
			'the place is free',
			async () => (await send(url, list).catch(() => undefined))?.status === 200,
		);
	});
});

function countingProvider() {
	const calls: number[] = [];
	const provider = provide({
		name: 'p',
		version: '1',
		tools: {
			count: {
				input: { type: 'object', properties: { number: { type: 'number' } } },
				run: async ({ number }: { number: number }) => {
					calls.push(number);
					await new Promise((resolve) => setImmediate(resolve));
					return `called-${number}`;
				},
			},
		},
	});
	return { provider, calls };
}

function call(url: string, number: number): string {
	return encodedRequest(url, modernRequest('tools/call', { name: 'count', arguments: { number } }));
}

function collected(socket: Socket): () => string {
	let all = '';
	socket.on('data', (chunk) => {
		all += chunk;
	});
	return () => all;
}

async function repliesTo(url: string, bytes: string, count: number): Promise<string> {
	const socket = openSocket(url);
	const replies = collected(socket);
	socket.write(bytes);
	const isDone = (): boolean => replies().split('HTTP/1.1 ').length === count + 1 && replies().endsWith('}');
	await until(`${count} replies`, isDone);
	socket.destroy();
	return replies();
}

async function silentConnections(url: string, count: number): Promise<Socket[]> {
	const sockets = Array.from({ length: count }, () => openSocket(url).resume());
	onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
	await Promise.all(sockets.map((socket) => once(socket, 'connect')));
	return sockets;
}
