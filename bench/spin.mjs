/*
 * What the optional busy-poll (`ORCHESTRA_SPIN=1`) gives and costs: one call at a time
 * to the echo server, beside a bare loop, in three situations. It is off by default
 * because of the last two (docs/decisions/0005).
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openServer } from './measure/driver.mjs';
import { cpuMicros, makeBusy, pinApart, pinBeside, unpin } from './measure/process.mjs';
import { fixed, median, note, printTable, times } from './measure/report.mjs';
import { script } from './measure/requests.mjs';

const plans = { full: { rounds: 5, ms: 800 }, quick: { rounds: 1, ms: 300 } };
const subjectFile = (name) => join(import.meta.dirname, 'subjects', name);
const subjects = [
	{ name: 'bare loop', args: [subjectFile('bare-server.mjs')] },
	{ name: 'spin off', args: [subjectFile('echo-server.mjs')], env: { ORCHESTRA_SPIN: '0' } },
	{ name: 'spin on', args: [subjectFile('echo-server.mjs')], env: { ORCHESTRA_SPIN: '1' } },
];
const situations = [
	{ name: 'two idle cores', place: pinApart, busy: 0 },
	{ name: 'one shared core', place: pinBeside, busy: 0 },
	{ name: 'all cores busy', place: () => {}, busy: availableParallelism() },
];

/** Run the suite, print its tables, and give back the numbers. */
export async function run({ isQuick = false } = {}) {
	const { rounds, ms } = isQuick ? plans.quick : plans.full;
	const data = {};
	for (const situation of situations) {
		note(`  ${situation.name}`);
		const samples = subjects.map(() => []);
		for (let round = 0; round < rounds; round++) {
			for (const [at, subject] of subjects.entries()) samples[at].push(await measure(subject, situation, ms));
		}
		const rows = subjects.map(({ name }, at) => ({ name, ...medians(samples[at]) }));
		data[situation.name] = rows;
		print(situation.name, rows);
	}
	return data;
}

async function measure({ args, env }, { place, busy }, ms) {
	const driver = await openServer(args, script('legacy', 'lines'), { env, isFree: true });
	await driver.check();
	pinBeside(process.pid);
	place(driver.pid);
	const stopLoad = makeBusy(busy);
	try {
		await driver.inTurn(ms / 2);
		const before = cpuMicros(driver.pid);
		const { calls, p50Micros, p99Micros } = await driver.inTurn(ms);
		return { p50Micros, p99Micros, cpuMicros: before && (cpuMicros(driver.pid) - before) / calls };
	} finally {
		stopLoad();
		unpin(process.pid);
		await driver.close();
	}
}

function medians(rows) {
	return Object.fromEntries(Object.keys(rows[0]).map((key) => [key, median(rows.map((row) => row[key]))]));
}

function print(title, rows) {
	const [bare] = rows;
	printTable(
		`one call at a time, ${title}`,
		[
			['subject', ({ name }) => name],
			['p50 µs', ({ p50Micros }) => fixed(p50Micros)],
			['vs bare', ({ p50Micros }) => times(p50Micros, bare.p50Micros)],
			['p99 µs', ({ p99Micros }) => fixed(p99Micros)],
			['CPU µs/call', ({ cpuMicros: used }) => fixed(used, 1)],
		],
		rows,
	);
}
