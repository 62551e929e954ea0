/*
 * Clients over HTTP of a server over stdio: `/mcp/<server>` of a shared hub, with 64 connections in
 * both eras, beside gateways on the official SDKs for TypeScript and Go, which check neither a token
 * nor a policy and keep no journal. The CPU time is that of the gateway alone; it has a core with
 * its server, the caller has the other.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { legacyCalls, modernCall } from './http-server.mjs';
import { buildGoGateway } from './measure/go-gateway.mjs';
import { askOnce, drive, openLines } from './measure/http-driver.mjs';
import { cpuMicros, failure, firstOutput, pinApart, pinDriver, startNode, stop } from './measure/process.mjs';
import { fixed, median, note, printTable } from './measure/report.mjs';
import { TEXT } from './measure/requests.mjs';

const CONNECTIONS = 64;
const LISTENING_MS = 20_000;
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const server = join(import.meta.dirname, 'subjects', 'gateway-server.mjs');
const echo = [process.execPath, server, 'legacy'];
const peerFile = (path) => resolve(import.meta.dirname, 'node_modules', path);
const plans = { full: { rounds: 5, warmMs: 1500, ms: 1000 }, quick: { rounds: 2, warmMs: 600, ms: 400 } };

/** Measure the ways, print the table, and give back the numbers. */
export async function measureStdioServers({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	pinDriver();
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const subjects = [];
	try {
		subjects.push(...openHub(home));
		for (const open of [openMcpProxy, openSupergateway, openGoGateway]) subjects.push(...(await open(home)));
		const samples = new Map(subjects.map((subject) => [subject, []]));
		for (let round = 1; round <= plan.rounds; round++) {
			note(`  http to stdio: round ${round} of ${plan.rounds}`);
			for (const subject of subjects) samples.get(subject).push(await measure(subject, plan));
		}
		const rows = subjects.map((subject) => {
			const of = (key) => median(samples.get(subject).map((each) => each[key]));
			const { gateway, client, server: era } = subject;
			return { gateway, client, server: era, perSecond: of('perSecond'), cpuMicros: of('cpuMicros') };
		});
		print(rows);
		return rows;
	} finally {
		for (const { close } of subjects) await close?.();
		rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

function openHub(home) {
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	const entry = (args) => ({ command: process.execPath, args, prefix: false });
	const mcpServers = { modern: entry([server]), legacy: entry([server, 'legacy']) };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers }));
	const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: 'all' };
	const mctl = (...args) => spawnSync(process.execPath, [main, ...args], { cwd, env, encoding: 'utf8' });
	mctl('hub', 'start', '--http', '127.0.0.1:0');
	const { pid, httpUrl } = JSON.parse(mctl('hub', 'status', '--json').stdout);
	pinApart(pid);
	const headers = { Authorization: `Bearer ${mctl('hub', 'token').stdout.trim()}` };
	const way = (client, name, close) => ({
		gateway: 'orchestra',
		client,
		server: name,
		url: `${httpUrl}/${name}`,
		headers,
		pid,
		close,
	});
	return [
		way('modern', 'modern', () => mctl('hub', 'stop')),
		way('legacy', 'legacy'),
		way('legacy', 'modern'),
	];
}

async function openMcpProxy() {
	const file = peerFile('mcp-proxy/dist/bin/mcp-proxy.mjs');
	const port = await freePort();
	const child = startNode([file, '--host', '127.0.0.1', '--port', port, '--server', 'stream', '--', ...echo]);
	await listening(child, port);
	return [peer('mcp-proxy', child, `http://127.0.0.1:${port}/mcp`)];
}

/** It starts a server for each session: all connections share one. */
async function openSupergateway() {
	const file = peerFile('supergateway/dist/index.js');
	const port = await freePort();
	const output = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none'];
	const child = startNode([file, '--stdio', echo.join(' '), '--port', port, ...output]);
	await listening(child, port);
	return [{ ...peer('supergateway', child, `http://127.0.0.1:${port}/mcp`), isShared: true }];
}

/** Left out where Go or its modules are missing. */
async function openGoGateway(home) {
	const program = buildGoGateway(home);
	if (program === undefined) return [];
	const child = startNode(['http', ...echo], { program });
	return [peer('a gateway on the Go SDK', child, await firstOutput(child))];
}

function peer(gateway, child, url) {
	return {
		gateway,
		client: 'legacy',
		server: 'legacy',
		url,
		headers: {},
		pid: child.pid,
		close: () => stop(child),
	};
}

async function freePort() {
	const listener = createServer().listen(0, '127.0.0.1');
	await once(listener, 'listening');
	const { port } = listener.address();
	listener.close();
	await once(listener, 'close');
	return String(port);
}

async function listening(child, port) {
	child.stdout?.resume();
	for (const endAt = performance.now() + LISTENING_MS; performance.now() < endAt; await sleep(50)) {
		const socket = connect(Number(port), '127.0.0.1');
		const isOpen = await once(socket, 'connect').catch(() => undefined);
		socket.destroy();
		if (isOpen) return;
	}
	throw failure(child, `nothing listens on port ${port} within ${LISTENING_MS} ms`);
}

async function measure({ url, client, headers, pid, isShared }, { warmMs, ms }) {
	const lines = await openLines(url, CONNECTIONS);
	const requests = new Map();
	if (client === 'modern') for (const line of lines) requests.set(line, modernCall(url, headers));
	else if (isShared)
		(await legacyCalls(url, headers, lines)).forEach((call, at) => requests.set(lines[at], call));
	else for (const line of lines) requests.set(line, (await legacyCalls(url, headers, [line]))[0]);
	try {
		const answer = await askOnce(lines, requests.get(lines[0]));
		if (!answer.includes(TEXT)) throw new Error(`a wrong answer: ${answer.slice(0, 300)}`);
		await drive(lines, requests, warmMs);
		const [cpu, startedAt] = [cpuMicros(pid), performance.now()];
		const count = await drive(lines, requests, ms);
		const perSecond = (count * 1000) / (performance.now() - startedAt);
		return { perSecond, cpuMicros: cpu === undefined ? undefined : (cpuMicros(pid) - cpu) / count };
	} finally {
		for (const line of lines) line.close();
	}
}

function print(rows) {
	printTable(
		`A server over stdio, called over HTTP: ${CONNECTIONS} connections`,
		[
			['gateway', ({ gateway }) => gateway],
			['client', ({ client }) => client],
			['server', ({ server: era }) => era],
			['calls/s', ({ perSecond }) => fixed(perSecond)],
			['CPU µs of the gateway a call', ({ cpuMicros: micros }) => fixed(micros, 1)],
		],
		rows,
	);
}
