/* A shared hub in a home of its own, a bridge that calls through it, and pages of its dashboard in Chromium. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs';
import { openServer } from './driver.mjs';
import { note } from './report.mjs';
import { script } from './requests.mjs';

const SETTLE_MS = 1500;
/** Longest run of one command, in milliseconds. */
const COMMAND_MS = 60_000;
const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
const echo = {
	command: process.execPath,
	args: [join(import.meta.dirname, '../subjects/gateway-server.mjs')],
	prefix: false,
};

/** Run `work` with a hub of the echo server and `servers`: its pid, a driver of a bridge, and a link of the dashboard. */
export async function withHub(work, servers = {}) {
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers: { echo, ...servers } }));
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), LOG_LEVEL: 'error', ORCHESTRA_TRUST: 'all' };
	const mctl = (...words) => runMctl({ cwd, env }, words);
	try {
		const { pid } = JSON.parse(mctl('hub', 'start', '--json'));
		const talk = script('legacy', 'lines');
		const driver = await openServer([main, 'bridge'], talk, { cwd, env, isFree: true });
		await driver.letPass(talk.call(2, 'hello'), SETTLE_MS);
		await driver.check();
		const result = await work({ pid, driver, link: () => JSON.parse(mctl('dashboard', '--json')).url });
		await driver.close();
		return result;
	} finally {
		mctl('hub', 'stop', '--force');
		rmSync(home, { recursive: true, force: true });
	}
}

function runMctl({ cwd, env }, words) {
	const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', timeout: COMMAND_MS };
	const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], options);
	if (status !== 0) throw new Error(`mctl ${words.join(' ')}: ${stderr || 'it did not end'}`);
	return stdout;
}

/** Chromium; undefined, with a note, where there is none. The caller closes it. */
export async function openBrowser() {
	const executablePath = findChromium();
	if (executablePath === undefined) {
		note('  pages are not measured: there is no Chromium (npm run test:browser installs it)');
		return undefined;
	}
	const { chromium } = await import('playwright-core');
	return chromium.launch({ executablePath, args: chromiumFlags });
}

/** A browser that is signed in. */
export async function login(browser, hub) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
	const link = hub.link();
	const first = await context.newPage();
	await first.goto(link);
	await first.waitForSelector('.connection.good');
	await first.close();
	return {
		context,
		/** A page with this view, connected. */
		open: async (view) => {
			const page = await context.newPage();
			await page.goto(`${new URL(link).origin}/dashboard/#/${view}`);
			await page.waitForSelector('.connection.good');
			return page;
		},
	};
}
