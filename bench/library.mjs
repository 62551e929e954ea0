/*
 * The library under load: how long 100, 1,000 and 10,000 files take to load and
 * what they hold in memory, how long a match takes, and what one changed file
 * costs from the write until it is told. `node bench/library.mjs`
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Library } from '../dist/library/index.js';

const SIZES = [100, 1_000, 10_000];
const QUERIES = 300;
const CHANGES = 10;

/** Print one row for each size of library. */
export async function run() {
	console.log('library     files   load ms   heap MB   match p50 ms   p99 ms   changed file ms (median)');
	// An open library does not keep a process alive by itself.
	const alive = setInterval(() => {}, 60_000);
	for (const size of SIZES) await measure(size);
	clearInterval(alive);
}

async function measure(size) {
	const root = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	try {
		const random = seeded(size);
		const words = vocabulary(random);
		writeFiles(root, size, random, words);
		globalThis.gc?.();
		const heapBefore = process.memoryUsage().heapUsed;
		const started = performance.now();
		const library = Library.open({ resources: root, watch: true });
		await library.ready();
		const loadMs = performance.now() - started;
		globalThis.gc?.();
		const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 1e6;
		const times = await matchTimes(library, random, words);
		const changes = await changeTimes(library, root, size);
		await library.close();
		print([size, loadMs, heapMb, quantile(times, 0.5), quantile(times, 0.99), quantile(changes, 0.5)]);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
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

async function matchTimes(library, random, words) {
	const times = [];
	for (let index = 0; index < QUERIES; index++) {
		const query = Array.from({ length: 3 + (index % 6) }, () => pick(random, words));
		// Every third question has a slip of the finger, which is the dear case.
		if (index % 3 === 0) query[0] = `${query[0].slice(0, 3)}x${query[0].slice(3)}`;
		const started = performance.now();
		await library.find(query.join(' '));
		times.push(performance.now() - started);
	}
	return times;
}

/** From the write until listeners are told: what a client would wait for. */
async function changeTimes(library, root, size) {
	const file = join(root, 'category-0', 'group-0', `fragment-${0 % size}.md`);
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
	const words = new Set();
	while (words.size < 20_000) {
		const length = 2 + Math.floor(random() * 3);
		words.add(Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join(''));
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

function print([size, ...numbers]) {
	const widths = [10, 10, 15, 9, 16];
	const row = numbers.map((value, index) => value.toFixed(2).padStart(widths[index]));
	console.log(`            ${String(size).padStart(5)}${row.join('')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run();
