/*
 * A remote server behind the hub: the same bare HTTP server called over an open
 * connection, and through `mctl serve`. The hub and the server share a core, the caller
 * has the other.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServer } from './measure/driver.mjs';
import { askOnce, drive, encodeHttp, openLines } from './measure/http-driver.mjs';
import { firstOutput, pinDriver, startNode, stop } from './measure/process.mjs';
import { fixed, median, note, printTable } from './measure/report.mjs';
import { script, TEXT } from './measure/requests.mjs';

const IN_FLIGHT = 64;
const SETTLE_MS = 1500;
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const plans = { full: { rounds: 5, warmMs: 1500, ms: 1000 }, quick: { rounds: 1, warmMs: 500, ms: 400 } };

/** Measure the hop, print the table, and give back the numbers. */
export async function measureHop({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	pinDriver();
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const server = startNode([join(import.meta.dirname, 'subjects', 'http-bare-server.mjs')]);
	try {
		const url = `http://127.0.0.1:${Number(await firstOutput(server))}/mcp`;
		const samples = { direct: [], 'mctl serve': [] };
		for (let round = 1; round <= plan.rounds; round++) {
			note(`  hop: round ${round} of ${plan.rounds}`);
			samples.direct.push(await measureDirect(url, plan));
			samples['mctl serve'].push(await measureHub(url, home, plan));
		}
		const rows = Object.entries(samples).map(([name, found]) => ({ name, ...mediansOf(found) }));
		print(rows);
		return rows;
	} finally {
		await stop(server);
		rmSync(home, { recursive: true, force: true });
	}
}

async function measureDirect(url, { warmMs, ms }) {
	const params = { name: 'echo', arguments: { text: TEXT } };
	const bytes = encodeHttp(url, {}, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
	const lines = await openLines(url, IN_FLIGHT);
	await drive(lines, bytes, warmMs);
	const startedAt = performance.now();
	const count = await drive(lines, bytes, ms);
	const perSecond = (count * 1000) / (performance.now() - startedAt);
	const took = [];
	for (const endAt = performance.now() + ms; performance.now() < endAt; ) {
		const askedAt = performance.now();
		await askOnce(lines, bytes);
		took.push((performance.now() - askedAt) * 1000);
	}
	for (const line of lines) line.close();
	return { p50Micros: median(took), perSecond, cpu: undefined };
}

async function measureHub(url, home, { warmMs, ms }) {
	const cwd = join(home, 'work');
	mkdirSync(cwd, { recursive: true });
	const mcpServers = { echo: { type: 'http', url, prefix: false } };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers }));
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), LOG_LEVEL: 'error', ORCHESTRA_TRUST: 'all' };
	const talk = script('legacy', 'lines');
	const driver = await openServer([main, 'serve'], talk, { cwd, env });
	await driver.letPass(talk.call(2, 'hello'), SETTLE_MS);
	await driver.check();
	const { perSecond, cpuMicros: cpu } = await driver.throughput(IN_FLIGHT, { warmMs, ms });
	await driver.inTurn(ms / 2);
	const { p50Micros } = await driver.inTurn(ms);
	await driver.close();
	return { p50Micros, perSecond, cpu };
}

function mediansOf(found) {
	return Object.fromEntries(Object.keys(found[0]).map((key) => [key, median(found.map((row) => row[key]))]));
}

function print(rows) {
	const [direct] = rows;
	printTable(
		'A remote server, directly and through the hub',
		[
			['', ({ name }) => name],
			['p50 µs', ({ p50Micros }) => fixed(p50Micros)],
			['added µs', ({ p50Micros }) => fixed(p50Micros - direct.p50Micros)],
			[`calls/s, ${IN_FLIGHT} in flight`, ({ perSecond }) => fixed(perSecond)],
			['CPU of the hub, µs a call', ({ cpu }) => fixed(cpu)],
		],
		rows,
	);
}
