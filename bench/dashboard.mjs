/*
 * What the dashboard costs the hub: calls through a bridge while the hub has no HTTP
 * listener, while it has one without a page, and while pages are open.
 *
 * The hub with the listener is measured with and without pages in turn, in one process, so
 * that a slow moment of the machine affects both. CPU time of the hub per call says most;
 * the rate depends on the other processes too. Then the memory of the hub is compared before
 * and after as many calls as it keeps.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run as runPage } from './dashboard-page.mjs';
import { openServer } from './measure/driver.mjs';
import { cpuMicros, memory } from './measure/process.mjs';
import { fixed, median, megabytes, note, printTable } from './measure/report.mjs';
import { script } from './measure/requests.mjs';

const IN_FLIGHT = 64;
const SETTLE_MS = 1500;
const PAGES = 4;
/** Calls that the hub keeps for the page. */
const KEPT_CALLS = 100_000;
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const server = join(import.meta.dirname, 'subjects', 'gateway-server.mjs');
const plans = {
	full: { rounds: 4, pairs: 8, warmMs: 2000, ms: 1500, keptCalls: KEPT_CALLS },
	quick: { rounds: 1, pairs: 5, warmMs: 1000, ms: 600, keptCalls: 10_000 },
};

/** Run the suite, print its tables, and give back the numbers. */
export async function run({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	const samples = new Map();
	const add = (name, row) => samples.set(name, [...(samples.get(name) ?? []), row]);
	let kept;
	for (let round = 1; round <= plan.rounds; round++) {
		note(`  calls: round ${round} of ${plan.rounds}`);
		await withHub(async (hub) => {
			for (let pair = 0; pair < plan.pairs; pair++) add('no listener', await measure(hub, plan));
		}, plan);
		await withHub(async (hub) => {
			const browser = await login(hub);
			for (let pair = 0; pair < plan.pairs; pair++) {
				add('listener, no page', await measure(hub, plan));
				const one = openPages(browser, 1);
				add('one page', await measure(hub, plan));
				one.close();
				const several = openPages(browser, PAGES);
				add(`${PAGES} pages`, await measure(hub, plan));
				several.close();
			}
			if (round === plan.rounds) kept = await fillMemory(hub, browser, plan);
		}, plan);
	}
	const rows = [...samples].map(([name, all]) => ({
		name,
		perSecond: median(all.map(({ perSecond }) => perSecond)),
		hubMicros: median(all.map(({ hubMicros }) => hubMicros)),
	}));
	print(rows, kept);
	return { calls: rows, kept, page: await runPage({ isQuick }) };
}

/** A hub with one MCP server, and a bridge to it. */
async function withHub(work, { warmMs }) {
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	const echo = { command: process.execPath, args: [server], prefix: false };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers: { echo } }));
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), LOG_LEVEL: 'error', ORCHESTRA_TRUST: 'all' };
	const mctl = (...words) => runMctl({ cwd, env }, words);
	try {
		const { pid } = JSON.parse(mctl('hub', 'start', '--json'));
		const talk = script('legacy', 'lines');
		const driver = await openServer([main, 'bridge'], talk, { cwd, env, isFree: true });
		await driver.letPass(talk.call(2, 'hello'), SETTLE_MS);
		await driver.check();
		await driver.flood(IN_FLIGHT, warmMs);
		await work({ pid, driver, mctl });
		await driver.close();
	} finally {
		mctl('hub', 'stop', '--force');
		rmSync(home, { recursive: true, force: true });
	}
}

function runMctl({ cwd, env }, words) {
	const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' };
	const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], options);
	if (status !== 0) throw new Error(`mctl ${words.join(' ')}: ${stderr}`);
	return stdout;
}

async function measure({ pid, driver }, { ms }) {
	const before = cpuMicros(pid);
	const { calls, ms: took } = await driver.flood(IN_FLIGHT, ms);
	const used = before === undefined ? undefined : cpuMicros(pid) - before;
	return { perSecond: (calls / took) * 1000, hubMicros: used && used / calls };
}

/** Use the link of `mctl dashboard` as a browser does. */
async function login({ mctl }) {
	const { url } = JSON.parse(mctl('dashboard', '--json'));
	const { headers } = await get(url, {});
	const [cookie] = headers['set-cookie'][0].split(';');
	return { origin: new URL(url).origin, cookie };
}

/** Pages that show the overview and the calls: each reads its event stream. */
function openPages({ origin, cookie }, count) {
	const pages = Array.from({ length: count }, () =>
		request(`${origin}/api/events`, { agent: false, headers: { cookie } }, (response) => {
			response.resume();
			response.on('error', () => {}); // we close it
		}),
	);
	for (const page of pages) page.on('error', () => {}).end();
	return { close: () => pages.forEach((page) => page.destroy()) };
}

/** As many calls as are kept, once to fill the ring and once to turn it over, with a page open. */
async function fillMemory({ pid, driver }, browser, { ms, keptCalls }) {
	const page = openPages(browser, 1);
	const passCalls = async () => {
		for (let calls = 0; calls < keptCalls; ) calls += (await driver.flood(IN_FLIGHT, ms)).calls;
		return memory(pid)?.now;
	};
	const fullBytes = await passCalls();
	const laterBytes = await passCalls();
	const began = performance.now();
	const { body } = await get(`${browser.origin}/api/calls?limit=200&tool=ech`, { cookie: browser.cookie });
	const listMs = performance.now() - began;
	page.close();
	return { keptCalls, fullBytes, laterBytes, listMs, listBytes: body.length };
}

function get(url, headers) {
	return new Promise((resolve, reject) => {
		const sent = request(url, { agent: false, headers }, (response) => {
			let body = '';
			response.setEncoding('utf8').on('data', (chunk) => (body += chunk));
			response.on('end', () => resolve({ headers: response.headers, body }));
		});
		sent.on('error', reject).end();
	});
}

function print(rows, kept) {
	const [base] = rows;
	const change = (key) => (row) =>
		row[key] === undefined || row === base ? '-' : `${fixed((row[key] / base[key] - 1) * 100, 1)} %`;
	printTable(
		'Calls through the hub',
		[
			['', ({ name }) => name],
			['calls/s', ({ perSecond }) => fixed(perSecond, 0)],
			['change', change('perSecond')],
			['hub µs/call', ({ hubMicros }) => fixed(hubMicros, 1)],
			['change', change('hubMicros')],
		],
		rows,
	);
	if (kept === undefined) return;
	printTable(
		'Memory of the hub with one page',
		[
			['', ({ name }) => name],
			['MB', ({ bytes }) => megabytes(bytes)],
		],
		[
			{ name: `after ${kept.keptCalls} calls`, bytes: kept.fullBytes },
			{ name: 'after as many again', bytes: kept.laterBytes },
		],
	);
	process.stdout.write(`\n/api/calls with a filter: ${fixed(kept.listMs, 1)} ms\n`);
}
