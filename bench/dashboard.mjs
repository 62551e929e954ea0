/*
 * What the dashboard costs the hub, with real pages in Chromium that show the calls live.
 *
 * Calls through a bridge are measured while the hub has no HTTP listener, while it has one without a
 * page, and while pages are open, in one process. Without a page comes first: calls are followed until a minute after
 * the last page was closed. One page and several are measured in turn, so that a slow moment of the machine affects both. CPU time of the hub per call says most: the rate depends on the other
 * processes too, and Chromium draws with the same cores. Then a fixed rate for some minutes, with the
 * memory of the hub and of the page. Then the page itself (`dashboard-page.mjs`).
 */
import { run as runPage } from './dashboard-page.mjs';
import { login, openBrowser, withHub } from './measure/dashboard-hub.mjs';
import { cpuMicros, memory } from './measure/process.mjs';
import { fixed, median, megabytes, note, printTable } from './measure/report.mjs';

const IN_FLIGHT = 64;
const PAGES = 4;
/** Calls per second of the load with a fixed rate, and the most that wait for an answer then. */
const RATE = 5_000;
const STEADY_IN_FLIGHT = 1_024;
const SAMPLES = 10;
const plans = {
	full: { rounds: 3, pairs: 6, warmMs: 2000, ms: 1500, minutes: 2 },
	quick: { rounds: 1, pairs: 3, warmMs: 1000, ms: 600, minutes: 0.25 },
};
/** What the dashboard promises. */
const goals = { compressedKb: 120, firstPaintMs: 200, lossPercent: 5 };

/** Run the suite, print its tables, and give back the numbers. */
export async function run({ isQuick = false, minutes } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	const browser = await openBrowser();
	try {
		const calls = await measureCalls(browser, plan);
		printCalls(calls);
		const steady = browser && (await measureSteady(browser, minutes ?? plan.minutes));
		if (steady) printSteady(steady);
		const page = await runPage({ isQuick, browser });
		const results = goalRows({ calls, page });
		printGoals(results);
		return { calls, steady, page, goals: results };
	} finally {
		await browser?.close();
	}
}

async function measureCalls(browser, { rounds, pairs, warmMs, ms }) {
	const samples = new Map();
	const measure = async (name, hub) => {
		const before = cpuMicros(hub.pid);
		const { calls, ms: took } = await hub.driver.flood(IN_FLIGHT, ms);
		const hubMicros = before === undefined ? undefined : (cpuMicros(hub.pid) - before) / calls;
		samples.set(name, [...(samples.get(name) ?? []), { perSecond: (calls / took) * 1000, hubMicros }]);
	};
	for (let round = 1; round <= rounds; round++) {
		note(`  calls: round ${round} of ${rounds}`);
		await withHub(async (hub) => {
			await hub.driver.flood(IN_FLIGHT, warmMs);
			for (let pair = 0; pair < pairs; pair++) await measure('no listener', hub);
			hub.link();
			for (let pair = 0; pair < pairs; pair++) await measure('listener, no page', hub);
			const pages = browser && (await login(browser, hub));
			for (let pair = 0; pair < pairs; pair++) {
				for (const count of pages ? [1, PAGES] : []) {
					const open = [];
					for (let page = 0; page < count; page++) open.push(await pages.open('calls'));
					await measure(count === 1 ? 'one page' : `${count} pages`, hub);
					for (const page of open) await page.close();
				}
			}
			await pages?.context.close();
		});
	}
	return [...samples].map(([name, all]) => ({
		name,
		perSecond: median(all.map(({ perSecond }) => perSecond)),
		hubMicros: median(all.map(({ hubMicros }) => hubMicros)),
	}));
}

/** A fixed rate with one page that shows the calls: what is reached, and the memory of both. */
function measureSteady(browser, minutes) {
	note(`  ${fixed(RATE)} calls per second for ${minutes} minutes`);
	return withHub(async (hub) => {
		const pages = await login(browser, hub);
		const page = await pages.open('calls');
		const session = await pages.context.newCDPSession(page);
		const rows = [];
		for (let sample = 1; sample <= SAMPLES; sample++) {
			const { calls, ms } = await hub.driver.steady(RATE, (minutes * 60_000) / SAMPLES, STEADY_IN_FLIGHT);
			rows.push({
				minutes: (minutes * sample) / SAMPLES,
				perSecond: (calls / ms) * 1000,
				hubBytes: memory(hub.pid)?.now,
				...(await pageMemory(session)),
			});
		}
		await pages.context.close();
		return rows;
	});
}

/** The heap of the page after a collection, and its DOM nodes. */
async function pageMemory(session) {
	await session.send('HeapProfiler.collectGarbage');
	const { usedSize } = await session.send('Runtime.getHeapUsage');
	const { nodes } = await session.send('Memory.getDOMCounters');
	return { pageBytes: usedSize, nodes };
}

function goalRows({ calls, page }) {
	const [none] = calls;
	const without = calls.find(({ name }) => name === 'listener, no page');
	const withPage = calls.find(({ name }) => name === 'one page');
	const compressed = page.sizes.reduce((total, { compressed: bytes }) => total + bytes, 0) / 1000;
	return [
		{ name: 'compressed page, KB', value: compressed, goal: goals.compressedKb },
		{ name: 'first paint, ms', value: page.firstPaintMs, goal: goals.firstPaintMs },
		{
			name: 'CPU of the hub per call added by a listener without a page, %',
			value: (without.hubMicros / none.hubMicros - 1) * 100,
			goal: goals.lossPercent,
		},
		{
			name: 'calls/s lost to an open page, %',
			value: (1 - withPage?.perSecond / without.perSecond) * 100,
			goal: goals.lossPercent,
		},
		{
			name: 'CPU of the hub per call added by an open page, %',
			value: (withPage?.hubMicros / without.hubMicros - 1) * 100,
			goal: goals.lossPercent,
		},
	].filter(({ value }) => value !== undefined && !Number.isNaN(value));
}

function printCalls(rows) {
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
}

function printSteady(rows) {
	printTable(
		`One page that shows the calls, ${fixed(RATE)} calls per second asked for`,
		[
			['minutes', ({ minutes }) => fixed(minutes, 1)],
			['calls/s', ({ perSecond }) => fixed(perSecond)],
			['hub MB', ({ hubBytes }) => megabytes(hubBytes)],
			['page MB', ({ pageBytes }) => megabytes(pageBytes)],
			['DOM nodes', ({ nodes }) => fixed(nodes)],
		],
		rows,
	);
}

function printGoals(rows) {
	printTable(
		'Goals',
		[
			['', ({ name }) => name],
			['measured', ({ value }) => fixed(value, 1)],
			['at most', ({ goal }) => fixed(goal)],
			['', ({ value, goal }) => (value <= goal ? 'yes' : 'no')],
		],
		rows,
	);
}
