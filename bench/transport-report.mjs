/* The tables of the transport suite, and the goals that the transport is built for. */
import { fixed, megabytes, printTable, times } from './measure/report.mjs';

/** Print everything that was measured, then how it stands against the goals. */
export function printReport({ legacy, modern, start, client, large }) {
	printLoad('Servers, `initialize` dialect', legacy);
	printLoad('Servers, 2026-07-28 dialect', modern);
	printStart(start);
	printLoad('Clients, against the same bare server', client);
	printLarge(large);
	printGoals({ legacy, modern, start, client, large });
}

function printLoad(title, rows) {
	const { orchestra } = rows;
	const columns = [
		['', ({ name }) => name],
		['64 in flight /s', (row) => fixed(row.flightPerSecond)],
		['ours', (row) => times(orchestra.flightPerSecond, row.flightPerSecond)],
		['CPU µs', (row) => fixed(row.flightCpuMicros, 2)],
		['ours', (row) => times(row.flightCpuMicros, orchestra.flightCpuMicros)],
		['one at a time /s', (row) => fixed(row.turnPerSecond)],
		['ours', (row) => times(orchestra.turnPerSecond, row.turnPerSecond)],
		['p50 µs', (row) => fixed(row.turnP50Micros, 1)],
		['CPU µs', (row) => fixed(row.turnCpuMicros, 2)],
		['ours', (row) => times(row.turnCpuMicros, orchestra.turnCpuMicros)],
		['one core /s', (row) => fixed(row.besidePerSecond)],
		['ours', (row) => times(orchestra.besidePerSecond, row.besidePerSecond)],
		['peak MB', (row) => megabytes(row.peakBytes)],
	];
	printTable(title, columns, named(rows));
}

function printStart(rows) {
	const bare = rows['bare loop'];
	const columns = [
		['', ({ name }) => name],
		['first answer ms', (row) => fixed(row.coldMs, 1)],
		['over bare', (row) => fixed(row.coldMs - bare.coldMs, 1)],
		['idle MB', (row) => megabytes(row.idleBytes)],
		['over bare', (row) => megabytes(row.idleBytes - bare.idleBytes)],
	];
	printTable('Cold start of a server', columns, named(rows));
}

function printLarge(large) {
	const sizes = sizesOf(large.orchestra);
	const show = (cell) => (cell.isCut ? 'cut' : fixed(cell.ms, 1));
	const columns = [
		['', ({ name }) => name],
		...sizes.map((size) => [`${size} MB ms`, (row) => show(row[size])]),
		['exponent', (row) => fixed(exponentOf(row), 2)],
		['ours', (row) => times(largestOf(row).ms, largestOf(large.orchestra).ms)],
		['peak MB', (row) => megabytes(largestOf(row).peakBytes)],
	];
	printTable('One large message, there and back', columns, named(large));
}

/** How time grows between the two largest sizes: 1 is linear, 2 quadratic. */
function exponentOf(row) {
	const [small, big] = sizesOf(row).slice(-2);
	if (row[small].isCut || row[big].isCut) return undefined;
	return Math.log(row[big].ms / row[small].ms) / Math.log(big / small);
}

function largestOf(row) {
	return row[sizesOf(row).at(-1)];
}

function sizesOf(row) {
	return Object.keys(row).filter((key) => Number(key) > 0);
}

function printGoals({ legacy, modern, start, client, large }) {
	const ratio = (rows, peer, key) => rows.orchestra[key] / rows[peer][key];
	const sdkMs = Math.min(
		largestOf(large['sdk v2']).ms ?? Infinity,
		largestOf(large['sdk v1']).ms ?? Infinity,
	);
	const over = (key) => start.orchestra[key] - start['bare loop'][key];
	const goals = [
		atLeast('server, 64 in flight, of sdk v2', ratio(legacy, 'sdk v2', 'flightPerSecond'), 6),
		atLeast('server, 64 in flight, of sdk v2, 2026-07-28', ratio(modern, 'sdk v2', 'flightPerSecond'), 12),
		atLeast('server, 64 in flight, of the bare loop', ratio(legacy, 'bare loop', 'flightPerSecond'), 1.2),
		atLeast('server, one at a time, of sdk v2', ratio(legacy, 'sdk v2', 'turnPerSecond'), 2.5),
		atLeast('the same, both on one core', ratio(legacy, 'sdk v2', 'besidePerSecond'), 2.5),
		atLeast('server, one at a time, of the bare loop', ratio(legacy, 'bare loop', 'turnPerSecond'), 0.9),
		atLeast('client, 64 in flight, of sdk v2', ratio(client, 'sdk v2', 'flightPerSecond'), 5),
		// The goal is set for 50 MB; a quick run stops at a size where the peers are not yet that slow.
		...(large.orchestra[50]
			? [atLeast('50 MB echo, of the faster sdk', sdkMs / large.orchestra[50].ms, 20)]
			: []),
		atMost('largest echo, growth exponent', exponentOf(large.orchestra), 1.15, ''),
		atMost('cold start over the bare loop', over('coldMs'), 20, ' ms'),
		atMost('idle memory over the bare loop', over('idleBytes') / 1e6, 10, ' MB'),
	];
	const columns = [
		['', ({ what }) => what],
		['goal', ({ goal }) => goal],
		['measured', ({ measured }) => measured],
		['', ({ isMet }) => (isMet ? 'met' : 'missed')],
	];
	printTable('Goals', columns, goals);
}

function atLeast(what, value, goal) {
	return { what, goal: `≥ ${goal}×`, measured: `${fixed(value, 2)}×`, isMet: value >= goal };
}

function atMost(what, value, goal, unit) {
	return { what, goal: `≤ ${goal}${unit}`, measured: `${fixed(value, 2)}${unit}`, isMet: value <= goal };
}

function named(rows) {
	return Object.entries(rows).map(([name, row]) => ({ ...row, name }));
}
