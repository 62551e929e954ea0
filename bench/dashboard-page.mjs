/*
 * The page of the dashboard in Chromium: its compressed size, its first paint, and how evenly it
 * draws while 10,000 tools and 100,000 calls are scrolled through.
 *
 * CPU is the time of the page's main thread per frame. A frame is the time between two animation
 * frames while a script scrolls a list from its top to its end. Without a graphics card Chromium draws with the same cores that the hub uses, so long
 * frames on a busy machine say more about the machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { login, withHub } from './measure/dashboard-hub.mjs';
import { fixed, median, note, printTable } from './measure/report.mjs';

const root = resolve(import.meta.dirname, '..');
const TOOLS = 10_000;
const IN_FLIGHT = 64;
/** A frame above this is seen as a stutter, in milliseconds. */
const LONG_FRAME_MS = 50;
const plans = {
	full: { loads: 7, calls: 100_000, scrollMs: 4000 },
	quick: { loads: 3, calls: 20_000, scrollMs: 2000 },
};

/** Measure the page, print its tables, and give back the numbers; without a browser only the sizes. */
export async function run({ isQuick = false, browser }) {
	const plan = isQuick ? plans.quick : plans.full;
	const sizes = pageSizes();
	const many = {
		command: process.execPath,
		args: [join(root, 'test/fixtures/servers/page-server.mjs'), String(TOOLS)],
	};
	const measured = browser && (await withHub((hub) => measure(browser, hub, plan), { many }));
	const data = { sizes, ...measured };
	print(data);
	return data;
}

function pageSizes() {
	const folder = join(root, 'dist/dashboard/page');
	return readdirSync(folder).map((name) => {
		const bytes = readFileSync(join(folder, name));
		return { name, bytes: bytes.length, compressed: brotliCompressSync(bytes).length };
	});
}

async function measure(browser, hub, plan) {
	const { context, open } = await login(browser, hub);
	note(`  ${fixed(plan.calls)} calls`);
	for (let calls = 0; calls < plan.calls; ) calls += (await hub.driver.flood(IN_FLIGHT, 1000)).calls;
	const page = await open('overview');
	const loads = [];
	for (let load = 0; load < plan.loads; load++) loads.push(await measureLoad(page));
	note('  scrolling');
	const tools = await measureScroll(page, '#/tools?show=tool', plan);
	const calls = await measureScroll(page, '#/calls', plan);
	await context.close();
	const middle = (key) => median(loads.map((load) => load[key]));
	return {
		firstPaintMs: middle('paint'),
		contentMs: middle('content'),
		scrolls: [
			{ name: 'tools', ...tools },
			{ name: 'calls', ...calls },
		],
	};
}

/** Load the page again: its first paint, and when the state of the hub is drawn. */
async function measureLoad(page) {
	await page.goto('about:blank');
	const origin = await loadedOrigin(page);
	await page.addInitScript(() => {
		new MutationObserver((_, observer) => {
			if (!document.querySelector('.backends .row')) return;
			observer.disconnect();
			requestAnimationFrame(() => {
				globalThis.contentAt = performance.now();
			});
		}).observe(document, { childList: true, subtree: true });
	});
	await page.goto(`${origin}/dashboard/#/overview`);
	await page.waitForFunction(() => globalThis.contentAt !== undefined);
	return page.evaluate(() => ({
		paint: performance.getEntriesByName('first-paint')[0]?.startTime,
		content: globalThis.contentAt,
	}));
}

/** The address of the hub is that of the cookie: the page itself is blank now. */
async function loadedOrigin(page) {
	const [{ domain, name }] = await page.context().cookies();
	return `http://${domain}:${name.split('_').at(-1)}`;
}

async function measureScroll(page, hash, { scrollMs }) {
	await page.evaluate((to) => {
		location.hash = to;
	}, hash);
	await page.waitForSelector('.virtual-list .virtual-row');
	await page.waitForTimeout(1500); // the chart and the first page of rows
	const cpu = await cpuMeter(page);
	const { frames, rows } = await page.evaluate(scrollThrough, scrollMs);
	const cpuMs = await cpu.stop();
	frames.sort((one, other) => one - other);
	return {
		rows,
		frames: frames.length,
		cpuMs: cpuMs / frames.length,
		p50: frames[Math.floor(frames.length * 0.5)],
		p95: frames[Math.floor(frames.length * 0.95)],
		worst: frames.at(-1),
		long: frames.filter((ms) => ms > LONG_FRAME_MS).length,
	};
}

/** CPU time of the main thread, which does not depend on what else the machine does. */
async function cpuMeter(page) {
	const session = await page.context().newCDPSession(page);
	await session.send('Performance.enable', { timeDomain: 'threadTicks' });
	const read = async () => {
		const { metrics } = await session.send('Performance.getMetrics');
		return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
	};
	const before = await read();
	return {
		stop: async () => {
			const used = (await read()) - before;
			await session.detach();
			return used;
		},
	};
}

/** In the page: scroll from the top to the end within `ms`, and give back the times between frames. */
function scrollThrough(ms) {
	const list = document.querySelector('.virtual-list');
	const end = list.scrollHeight - list.clientHeight;
	const frames = [];
	return new Promise((done, fail) => {
		setTimeout(() => fail(new Error('the page draws no frames')), 10 * ms);
		const began = performance.now();
		let last = began;
		const step = (now) => {
			if (now > last) frames.push(now - last);
			last = now;
			list.scrollTop = Math.min(1, (now - began) / ms) * end;
			if (now - began < ms) requestAnimationFrame(step);
			else
				done({ frames, rows: Number(document.querySelector('.virtual-row').getAttribute('aria-setsize')) });
		};
		requestAnimationFrame(step);
	});
}

function print({ sizes, firstPaintMs, contentMs, scrolls }) {
	const total = { name: 'together', bytes: sum(sizes, 'bytes'), compressed: sum(sizes, 'compressed') };
	printTable(
		'Files of the page',
		[
			['', ({ name }) => name],
			['KB', ({ bytes }) => fixed(bytes / 1000, 1)],
			['compressed', ({ compressed }) => fixed(compressed / 1000, 1)],
		],
		[...sizes, total],
	);
	if (scrolls === undefined) return;
	process.stdout.write(
		`\nFirst paint ${fixed(firstPaintMs)} ms, state of the hub drawn after ${fixed(contentMs)} ms\n`,
	);
	printTable(
		'Frames while scrolling, in milliseconds',
		[
			['', ({ name, rows }) => `${fixed(rows)} ${name}`],
			['frames', ({ frames }) => fixed(frames)],
			['CPU', ({ cpuMs }) => fixed(cpuMs, 1)],
			['p50', ({ p50 }) => fixed(p50, 1)],
			['p95', ({ p95 }) => fixed(p95, 1)],
			['worst', ({ worst }) => fixed(worst, 1)],
			[`above ${LONG_FRAME_MS}`, ({ long }) => fixed(long)],
		],
		scrolls,
	);
}

function sum(rows, key) {
	return rows.reduce((total, row) => total + row[key], 0);
}
