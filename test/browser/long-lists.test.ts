/* Lists of 10,000 rows: only the visible rows exist, wherever the reader is, also while rows are added. */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { chromiumPath, DashboardPlace } from '../support/chromium.ts';
import { until } from '../support/waiting.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/page-server.mjs');
const TOOLS = 10_000;
const place = new DashboardPlace({
	mcpServers: { page: { command: process.execPath, args: [server, String(TOOLS)] } },
});

/** Long: only in `npm run test:browser`. */
const isSkipped = chromiumPath === undefined || !runsAllTests;

afterAll(() => place.close(), 60_000);

describe.skipIf(isSkipped)('a list of 10,000 tools', () => {
	it('has rows for what is visible only, and shows each when it is scrolled to', async () => {
		const { page } = await place.open('tools?show=tool');
		const list = page.getByRole('listbox', { name: 'Tools' });
		await list.getByText('page__tool_00000').waitFor();
		const height = await list.evaluate((box) => box.scrollHeight);
		for (const share of [0.25, 0.55, 0.85]) {
			await list.evaluate((box, top) => void (box.scrollTop = top), height * share);
			await list
				.getByText(`page__tool_0${Math.floor(share * 10)}`)
				.first()
				.waitFor();
			expect(await page.getByRole('option').count()).toBeLessThan(80);
		}
		await list.press('End');
		await list.getByText('page__write_note').waitFor();
	});
});

describe.skipIf(isSkipped)('the list of calls under load', () => {
	it('stays where the reader is, counts the new calls, and shows every row that is scrolled to', async () => {
		const { page } = await place.open('calls');
		const calls = new CallLoad();
		const list = page.getByRole('listbox', { name: 'Calls' });
		await page.getByText(/^(?:1[2-9]|[2-9]\d|\d{3}),\d{3} calls, newest first/).waitFor({ timeout: 60_000 });
		await list.evaluate((box) => void (box.scrollTop = 30 * 3_000));
		await list.locator('.call-line:not(.dim)').nth(20).waitFor();
		// From the first of them that is counted on, no row comes into the list.
		await page.getByRole('button', { name: /new calls/ }).waitFor();
		// Those that are on the screen: how many are drawn beyond it changes after a scroll.
		const read = (): Promise<string[]> =>
			list.evaluate((box) => {
				const screen = box.getBoundingClientRect();
				const rows = [...box.querySelectorAll('.virtual-row')].filter((row) => {
					const { top, bottom } = row.getBoundingClientRect();
					return bottom > screen.top && top < screen.bottom;
				});
				return rows.map((row) => row.textContent ?? '');
			});
		const before = await read();
		const from = calls.count;
		await until('3,000 more calls', () => calls.count > from + 3_000);
		expect(before.length).toBeGreaterThan(10);
		expect(await read()).toEqual(before);
		expect(before.filter((text) => text.trim() === '…')).toEqual([]);
		await list.evaluate((box) => void (box.scrollTop = 30 * 11_000));
		await list.locator('.call-line:not(.dim)').nth(20).waitFor();
		expect(await page.getByRole('option').count()).toBeLessThan(80);
		await page.getByRole('button', { name: /new calls/ }).click();
		await page.getByRole('button', { name: /new calls/ }).waitFor({ state: 'detached' });
		await calls.stop();
		const last = page.getByRole('option', { name: /page__write_note/ }).first();
		expect(await last.getAttribute('aria-posinset')).toBe('1');
		await page.context().close();
	}, 180_000);
});

/** A bridge with 32 calls in flight, until it is stopped. */
class CallLoad {
	static readonly #IN_FLIGHT = 32;
	count = 0;
	#last = 0;
	readonly #bridge: ChildProcessWithoutNullStreams;

	constructor() {
		this.#bridge = place.start('bridge');
		this.#bridge.stderr.resume();
		onTestFinished(() => void this.#bridge.kill());
		this.#send('initialize', {
			protocolVersion: '2025-11-25',
			capabilities: {},
			clientInfo: { name: 'load', version: '1' },
		});
		createInterface({ input: this.#bridge.stdout })
			.once('line', () => {
				for (let call = 0; call < CallLoad.#IN_FLIGHT; call++) this.#call();
			})
			.on('line', (line) => {
				if (!line.includes('write_note got')) return;
				this.count += 1;
				this.#call();
			});
	}

	async stop(): Promise<void> {
		this.#bridge.stdin.end();
		await once(this.#bridge, 'exit');
	}

	#call(): void {
		this.#send('tools/call', { name: 'page__write_note', arguments: { text: 'x' } });
	}

	#send(method: string, params: object): void {
		if (this.#bridge.stdin.writable)
			this.#bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#last, method, params })}\n`);
	}
}
