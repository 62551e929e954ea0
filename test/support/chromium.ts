/*
 * A real hub with its dashboard, and a real Chromium in front of it.
 *
 * Where there is no Chromium the tests are skipped; `npm run test:browser` installs it. Every
 * request, console error and dialog of the page is recorded: a test asks for them at its end.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs';
import { HubFolder } from '../../src/hub/shared/hub-folder.ts';
import { mctl, startMctl } from './mctl.ts';
import { livingWith } from './programs.ts';
import { until } from './waiting.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

/** The Chromium of the system; undefined where there is none. */
export const chromiumPath: string | undefined = findChromium();

/** How long a test waits for something on the page, in milliseconds. */
const WAIT_MS = 60_000;

export interface PageOptions {
	readonly width?: number;
	readonly height?: number;
	readonly scheme?: 'light' | 'dark';
	/** The test moves the time of the page by `page.clock`. */
	readonly hasClock?: boolean;
}

/** What a page did besides showing itself. */
export interface PageRecord {
	/** Addresses of requests to another origin. */
	readonly strangers: string[];
	/** Errors, warnings and dialogs. */
	readonly complaints: string[];
}

export class DashboardPlace {
	readonly home: string;
	readonly cwd: string;
	readonly #env: Record<string, string>;
	#browser: Browser | undefined;
	#isUsed = false;

	constructor(configuration: object, files: Record<string, string> = {}) {
		this.home = temporaryFolder();
		this.cwd = join(this.home, 'work');
		mkdirSync(this.cwd);
		this.#env = {
			HOME: this.home,
			XDG_STATE_HOME: join(this.home, 'state'),
			XDG_CONFIG_HOME: join(this.home, 'config'),
			ORCHESTRA_TRUST: 'all',
		};
		writeFiles(this.cwd, { 'orchestra.json': JSON.stringify(configuration), ...files });
	}

	async run(...words: string[]): Promise<string> {
		this.#isUsed = true;
		return (await mctl(words, { cwd: this.cwd, env: this.#env })).stdout;
	}

	/** A command that goes on. The test ends it. */
	start(...words: string[]): ChildProcessWithoutNullStreams {
		this.#isUsed = true;
		return startMctl(words, { cwd: this.cwd, env: this.#env });
	}

	/** The link of `mctl dashboard`, which starts the hub. */
	async link(): Promise<URL> {
		return new URL(JSON.parse(await this.run('dashboard', '--json')).url);
	}

	/** The token for `/mcp`. */
	get token(): string {
		return readFileSync(join(new HubFolder(this.cwd, this.#env).path, 'http-token'), 'utf8').trim();
	}

	/** A page that is signed in, and what it did. */
	async open(route = 'overview', options: PageOptions = {}): Promise<{ page: Page; record: PageRecord }> {
		const { width = 1280, height = 800, scheme = 'light' } = options;
		this.#browser ??= await chromium.launch({ executablePath: chromiumPath ?? '', args: chromiumFlags });
		const link = await this.link();
		const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme: scheme });
		const page = await context.newPage();
		page.setDefaultTimeout(WAIT_MS);
		if (options.hasClock) await page.clock.install();
		const record = recordOf(page, link.origin);
		await page.goto(link.href);
		await page.getByRole('status').getByText('live').waitFor();
		await visit(page, route);
		return { page, record };
	}

	async close(): Promise<void> {
		if (!this.#isUsed) return;
		await this.#browser?.close();
		await this.run('hub', 'stop', '--all', '--force');
		await until('nothing of this home is left', () => livingWith('HOME', this.home).length === 0);
	}
}

/** Open a view, without loading the page again. */
export async function visit(page: Page, route: string): Promise<void> {
	await page.evaluate(`location.hash = ${JSON.stringify(`#/${route}`)}`);
}

function recordOf(page: Page, origin: string): PageRecord {
	const record: PageRecord = { strangers: [], complaints: [] };
	page.on('request', (request) => {
		if (!request.url().startsWith(`${origin}/`)) record.strangers.push(request.url());
	});
	page.on('console', (message) => {
		if (message.type() === 'error' || message.type() === 'warning') record.complaints.push(message.text());
	});
	page.on('pageerror', (error) => record.complaints.push(String(error)));
	page.on('dialog', (dialog) => {
		record.complaints.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	return record;
}
