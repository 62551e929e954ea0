/*
 * The library under load: how long 100, 1,000 and 10,000 files take to load and
 * what they hold in memory, how long a match takes, and what one changed file
 * costs from the write until listeners are notified. `node bench/library.mjs`
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { Library } from '../dist/index.js';
import { readFragments } from '../eval/labelled.mjs';

const SIZES = [100, 1_000, 10_000];
const QUERIES = 300;
const CHANGES = 10;
/** Questions asked before the clock runs: a match is measured on a warm index. */
const WARM_UP = 60;

const columns = {
	files: 'files',
	loadMs: 'load ms',
	loadCpuMs: 'CPU ms',
	longestPauseMs: 'pause ms',
	memoryMb: 'MB',
	firstMatchMs: 'first ms',
	matchP50Ms: 'match p50',
	matchP99Ms: 'p99 ms',
	changeMs: 'change ms',
};

/** Print one row for each size of library; gives the rows. */
export async function run() {
	console.log(
		`library ${Object.values(columns)
			.map((title) => title.padStart(10))
			.join('')}`,
	);
	// An open library does not keep a process alive by itself.
	const alive = setInterval(() => {}, 60_000);
	const rows = [];
	for (const size of SIZES) rows.push(await measure(size));
	clearInterval(alive);
	return { rows };
}

async function measure(size) {
	const root = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	try {
		const random = seeded(size);
		const words = vocabulary(random);
		writeFiles(root, size, random, words);
		const { library, ...load } = await openTimed(root);
		const firstMatchMs = await firstMatch(library, words);
		const matches = await matchTimes(library, random, words);
		const changes = await changeTimes(library, root);
		await library.close();
		const row = {
			files: size,
			...load,
			firstMatchMs,
			matchP50Ms: quantile(matches, 0.5),
			matchP99Ms: quantile(matches, 0.99),
			changeMs: quantile(changes, 0.5),
		};
		print(row);
		return row;
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

/** Load the library; the longest pause is how long nothing else could run meanwhile. */
async function openTimed(root) {
	globalThis.gc?.();
	const before = memoryHeld();
	const delay = monitorEventLoopDelay({ resolution: 1 });
	delay.enable();
	const started = performance.now();
	const cpu = process.cpuUsage();
	const library = Library.open({ resources: root, watch: true });
	await library.ready();
	const { user, system } = process.cpuUsage(cpu);
	const loadMs = performance.now() - started;
	delay.disable();
	globalThis.gc?.();
	const memoryMb = (memoryHeld() - before) / 1e6;
	return { library, loadMs, loadCpuMs: (user + system) / 1_000, longestPauseMs: delay.max / 1e6, memoryMb };
}

/** Bytes on the heap and in buffers outside of it; with `--expose-gc` without what is to be given back. */
function memoryHeld() {
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return heapUsed + arrayBuffers;
}

/** Documents of about 1.5 KB in the usual form, over a vocabulary whose words are as unequal as in real text. */
function writeFiles(root, size, random, words) {
	for (let index = 0; index < size; index++) {
		const folder = join(root, `category-${index % 10}`, `group-${index % 50}`);
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, `fragment-${index}.md`), documentOf(index, random, words));
	}
}

function documentOf(index, random, words) {
	const some = (count) => Array.from({ length: count }, () => pick(random, words));
	return [
		'---',
		`title: ${some(4).join(' ')}`,
		`description: ${some(9).join(' ')}`,
		`tags: [${some(4).join(', ')}]`,
		'useWhen:',
		`  - ${some(6).join(' ')}`,
		`  - ${some(6).join(' ')}`,
		'---',
		`# ${some(4).join(' ')} ${index}`,
		...Array.from({ length: 4 }, () => `\n## ${some(3).join(' ')}\n\n${some(45).join(' ')}.`),
		'',
	].join('\n');
}

/** The first question also reads the table of word vectors and sums up every document. */
async function firstMatch(library, words) {
	const started = performance.now();
	await library.find(words.slice(0, 5).join(' '));
	return performance.now() - started;
}

async function matchTimes(library, random, words) {
	const times = [];
	for (let index = -WARM_UP; index < QUERIES; index++) {
		const query = Array.from({ length: 3 + (Math.abs(index) % 6) }, () => pick(random, words));
		// Every third question has a slip of the finger, which is the dear case.
		if (index % 3 === 0) query[0] = `${query[0].slice(0, 3)}x${query[0].slice(3)}`;
		const started = performance.now();
		await library.find(query.join(' '));
		if (index >= 0) times.push(performance.now() - started);
	}
	return times;
}

/** From the write until listeners are notified: the wait of a client. */
async function changeTimes(library, root) {
	const file = join(root, 'category-0', 'group-0', 'fragment-0.md');
	const times = [];
	for (let index = 0; index < CHANGES; index++) {
		const started = performance.now();
		const told = new Promise((resolve) => {
			const stop = library.onChange(() => {
				stop();
				resolve();
			});
		});
		writeFileSync(file, `# Changed ${'again '.repeat(index)}\n`);
		await told;
		times.push(performance.now() - started);
	}
	return times;
}

function vocabulary(random) {
	const syllables =
		'ba be bi bo ca ce co cu da de di do fa fe fi ga ge go ha he ja jo ka ke la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve za zo'.split(
			' ',
		);
	const real = [
		...new Set(readFragments().flatMap(({ text }) => text.toLowerCase().match(/[a-z]{3,}/g) ?? [])),
	];
	const words = new Set();
	while (words.size < 20_000) {
		const length = 2 + Math.floor(random() * 3);
		// Every second word is a real one as long as there are any, so that meaning has its share of the work.
		if (words.size % 2 === 0 && real.length > 0) words.add(real.pop());
		else words.add(Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join(''));
	}
	return [...words];
}

function pick(random, words) {
	return words[Math.floor(words.length * random() ** 3)];
}

/** The same numbers in every run. */
function seeded(seed) {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
		return state / 4_294_967_296;
	};
}

function quantile(values, share) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function print(row) {
	const cells = Object.keys(columns).map((key) =>
		(key === 'files' ? String(row[key]) : row[key].toFixed(2)).padStart(10),
	);
	console.log(`        ${cells.join('')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run();
