/*
 * Clients over HTTP of a server over stdio: `/mcp/<server>` of a shared hub, with 64 connections in
 * both eras. In the legacy era each has a session. The CPU time is that of the hub alone; it has
 * a core with its server, the caller has the other.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { legacyCall, modernCall } from './http-server.mjs';
import { askOnce, drive, openLines } from './measure/http-driver.mjs';
import { cpuMicros, pinApart, pinDriver } from './measure/process.mjs';
import { fixed, median, note, printTable } from './measure/report.mjs';
import { TEXT } from './measure/requests.mjs';

const CONNECTIONS = 64;
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const server = join(import.meta.dirname, 'subjects', 'gateway-server.mjs');
const plans = { full: { rounds: 5, warmMs: 1500, ms: 1000 }, quick: { rounds: 2, warmMs: 600, ms: 400 } };

/** Measure the ways, print the table, and give back the numbers. */
export async function measureStdioServers({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	pinDriver();
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	const entry = (args) => ({ command: process.execPath, args, prefix: false });
	const mcpServers = { modern: entry([server]), legacy: entry([server, 'legacy']) };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers }));
	const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: 'all' };
	const mctl = (...args) => spawnSync(process.execPath, [main, ...args], { cwd, env, encoding: 'utf8' });
	try {
		mctl('hub', 'start', '--http', '127.0.0.1:0');
		const { pid, httpUrl } = JSON.parse(mctl('hub', 'status', '--json').stdout);
		pinApart(pid);
		const headers = { Authorization: `Bearer ${mctl('hub', 'token').stdout.trim()}` };
		const rows = [];
		for (const [client, name] of [
			['modern', 'modern'],
			['legacy', 'legacy'],
			['legacy', 'modern'],
		]) {
			const samples = [];
			for (let round = 1; round <= plan.rounds; round++) {
				note(`  http to stdio, ${client} to ${name}: round ${round} of ${plan.rounds}`);
				samples.push(await measure({ url: `${httpUrl}/${name}`, client, headers, pid }, plan));
			}
			const of = (key) => median(samples.map((each) => each[key]));
			rows.push({ client, server: name, perSecond: of('perSecond'), cpuMicros: of('cpuMicros') });
		}
		print(rows);
		return rows;
	} finally {
		mctl('hub', 'stop');
		rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

async function measure({ url, client, headers, pid }, { warmMs, ms }) {
	const lines = await openLines(url, CONNECTIONS);
	const requests = new Map();
	for (const line of lines)
		requests.set(
			line,
			client === 'modern' ? modernCall(url, headers) : await legacyCall(url, headers, [line]),
		);
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
		`A server over stdio, called over HTTP through the hub: ${CONNECTIONS} connections`,
		[
			['client', ({ client }) => client],
			['server', ({ server: era }) => era],
			['calls/s', ({ perSecond }) => fixed(perSecond)],
			['CPU µs of the hub a call', ({ cpuMicros: micros }) => fixed(micros, 1)],
		],
		rows,
	);
}
