/* Numbers to tables on stdout and JSON in `bench/results/`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { isPinned } from './process.mjs';

const results = resolve(import.meta.dirname, '../results');

/** The middle value; undefined values are left out. */
export function median(values) {
	const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
	if (known.length === 0) return undefined;
	const middle = known.length >> 1;
	return known.length % 2 === 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

/** Facts about the machine that make numbers comparable; nothing that names it. */
export function machine() {
	const { platform, arch, version: node } = process;
	const cores = cpus();
	const cpu = cores[0]?.model.trim();
	return { node, platform, arch, cpu, cores: cores.length, memoryBytes: totalmem(), load: load(), isPinned };
}

/** How many processes wanted to run during the last minute, per core. */
export function load() {
	return loadavg()[0] / cpus().length;
}

/** A table: `columns` are [title, row → text]. The first column is aligned to the left. */
export function printTable(title, columns, rows) {
	const cells = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, show]) => show(row)))];
	const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at].length)));
	const lines = cells.map((line) =>
		line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
	);
	process.stdout.write(`\n${title}\n${lines[0]}\n${widths.map((width) => '-'.repeat(width)).join('  ')}\n`);
	process.stdout.write(`${lines.slice(1).join('\n')}\n`);
}

/** A number with `digits` decimals, or a dash. */
export function fixed(value, digits = 0) {
	if (value === undefined || Number.isNaN(value)) return '–';
	const [whole, fraction] = value.toFixed(digits).split('.');
	const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
	return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `ours` over `theirs`, as `3.1×`. */
export function times(ours, theirs) {
	const ratio = ours / theirs;
	return Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 2 : 1)}×` : '–';
}

/** Megabytes of 10^6 bytes. */
export function megabytes(bytes) {
	return bytes === undefined ? '–' : fixed(bytes / 1e6, 1);
}

/** What is going on, for a person. */
export function note(text) {
	process.stderr.write(`${text}\n`);
}

/** Write the numbers of a suite; the path relative to the repository. */
export function writeResults(suite, data) {
	mkdirSync(results, { recursive: true });
	const report = { schema: 'orchestra.bench/1', suite, machine: machine(), ...data };
	writeFileSync(join(results, `${suite}.json`), `${JSON.stringify(report, null, '\t')}\n`);
	return `bench/results/${suite}.json`;
}
