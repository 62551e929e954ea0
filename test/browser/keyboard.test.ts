/* The page with the keyboard alone, on narrow and wide screens, and without a hub. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { chromiumPath, DashboardPlace, visit } from '../support/chromium.ts';
import { until } from '../support/waiting.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/page-server.mjs');
const place = new DashboardPlace({
	mcpServers: { page: { command: process.execPath, args: [server, '30'] } },
});
/** For a look at them; not part of the repository. */
const SHOTS = resolve(import.meta.dirname, '../../coverage/screenshots');
/** Those with a key. */
const VIEWS = ['Overview', 'Tools', 'Calls', 'Servers', 'Approvals', 'Library', 'Usage', 'Tasks', 'Results'];

/** Long: only in `npm run test:browser`. */
const isSkipped = chromiumPath === undefined || !runsAllTests;

afterAll(() => place.close(), 60_000);

describe.skipIf(isSkipped)('somebody without a mouse', () => {
	let page: Page;

	beforeAll(async () => {
		({ page } = await place.open());
	});
	it('opens each view by its number, and the help with ?', async () => {
		for (const [at, view] of VIEWS.entries()) {
			await page.keyboard.press(String(at + 1));
			await page.locator('nav [aria-current]', { hasText: view }).waitFor();
		}
		await page.keyboard.press('?');
		await page.getByRole('dialog').waitFor();
		await page.keyboard.press('Escape');
		await page.getByRole('dialog').waitFor({ state: 'detached' });
	});

	it('searches with / in the view of the key before it, however fast the keys are', async () => {
		await visit(page, 'library');
		await page.locator('input[type=search]').waitFor();
		const press = (key: string): string =>
			`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`;
		// No event of the browser comes between the two.
		await page.evaluate(
			`(async () => { ${press('1')}; for (let at = 0; at < 10; at++) await null; ${press('/')}; })()`,
		);
		await page.locator('input[type=search]:focus').waitFor();
	});

	it('searches with /, opens a tool, fills in its form and calls it', async () => {
		await page.keyboard.press('1');
		await page.keyboard.press('/');
		await page.locator('input[type=search]:focus').waitFor();
		await page.keyboard.type('write note');
		// Enter opens the first row; an earlier list may have the tool further down.
		await page
			.getByRole('option')
			.first()
			.filter({ hasText: /write_note/ })
			.waitFor();
		await page.keyboard.press('Enter');
		await tabTo(page, '[name="/text"]');
		await page.keyboard.type('hello');
		await page.keyboard.press('Control+Enter');
		await page.locator('.result').getByText('write_note got hello').waitFor();
	});

	it('moves in a list with the arrows and opens a row with Enter', async () => {
		await visit(page, 'tools?q=');
		await tabTo(page, '.virtual-list');
		await page.keyboard.press('End');
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('ArrowDown');
		const last = await page.locator('.virtual-row.active').textContent();
		await page.keyboard.press('Enter');
		const name = await page.locator('.item-page > header h2').textContent();
		expect(last).toContain(name ?? 'no name');
	});

	it('sees where the focus is on every control of every view', async () => {
		for (const at of VIEWS.keys()) {
			await page.keyboard.press('Escape');
			await page.keyboard.press(String(at + 1));
			await page.locator('#main').focus();
			for (let step = 0; step < 12; step++) {
				await page.keyboard.press('Tab');
				expect(await page.evaluate(FOCUS_IS_VISIBLE), VIEWS[at]).toBe(true);
			}
		}
	});
});

describe.skipIf(isSkipped)('the page', () => {
	it.each([
		[360, 'light'],
		[1280, 'dark'],
		[2560, 'light'],
	] as const)(
		'fits %d pixels in %s',
		async (width, scheme) => {
			const { page } = await place.open('overview', { width, scheme });
			for (const route of [
				'overview',
				'tools/page__attack',
				'tools',
				'calls',
				'servers/page',
				'approvals',
				'library',
				'settings',
			]) {
				await visit(page, route);
				await page.locator('main > *').first().waitFor();
				expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), route).toBe(0);
				await page.screenshot({ path: join(SHOTS, `${route.replace('/', '-')}-${width}-${scheme}.png`) });
			}
			await page.context().close();
		},
		30_000,
	);

	it('says when the connection is lost, and connects again by itself', async () => {
		const { page } = await place.open();
		await page.context().setOffline(true);
		// A stream that is open stays open without the network: closing it is what a network does.
		await page.getByRole('link', { name: 'Servers', exact: true }).click();
		await page
			.getByRole('region', { name: 'Servers' })
			.getByRole('link', { name: 'page', exact: true })
			.click();
		await page.getByText('The connection to the hub is lost').waitFor();
		await page.context().setOffline(false);
		await page.getByRole('status').getByText('live').waitFor();
		await page.context().close();
	});

	it('says when the hub hangs, and connects again when it goes on', async () => {
		const { page } = await place.open('overview', { hasClock: true });
		const hub = Number(JSON.parse(await place.run('hub', 'start', '--json')).pid);
		process.kill(hub, 'SIGSTOP');
		onTestFinished(() => void process.kill(hub, 'SIGCONT'));
		await until('it is stopped', () => /^State:\s+T/m.test(readFileSync(`/proc/${hub}/status`, 'utf8')));
		// The last event may be ten seconds old.
		await page.clock.fastForward(10_000);
		await page.getByRole('status').getByText('live').waitFor();
		await page.clock.fastForward(25_000);
		await page.getByText('The connection to the hub is lost').waitFor();
		process.kill(hub, 'SIGCONT');
		await page.getByRole('status').getByText('live').waitFor();
		await page.context().close();
	});

	it('says when the hub is gone', async () => {
		const { page } = await place.open();
		await place.run('hub', 'stop', '--force');
		await page.getByText('The connection to the hub is lost').waitFor();
		await page.getByText('lost', { exact: true }).waitFor();
	});
});

/** An outline, or the stripe of the active row. */
const FOCUS_IS_VISIBLE = `(() => {
	const element = document.activeElement;
	if (element === document.body) return true;
	return element.matches(':focus-visible') && getComputedStyle(element).outlineStyle !== 'none';
})()`;

/** Press Tab until something is focused. */
async function tabTo(page: Page, selector: string): Promise<void> {
	await page.locator(selector).first().waitFor();
	for (let step = 0; step < 60; step++) {
		if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
		await page.keyboard.press('Tab');
	}
	throw new Error(`Tab never reaches ${selector}`);
}
