/* Approvals in a real browser, with arguments that try to hide what a call does. */
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/files/sha256.ts';
import { chromiumPath, DashboardPlace, visit } from '../support/chromium.ts';
import { HttpCaller } from '../support/http-caller.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/page-server.mjs');
const place = new DashboardPlace({
	mcpServers: { page: { command: process.execPath, args: [server] } },
	policy: [{ tools: 'page__write_note', action: 'ask' }],
});
/** Closes the object, shows another path, and pushes what follows out of sight. */
const forged = `hello"\n}\n\n"path": "/tmp/harmless.txt"\n${'\n'.repeat(200)}`;

describe.skipIf(chromiumPath === undefined)('an approval', () => {
	let page: Page;
	let caller: HttpCaller;
	const allow = () => page.getByRole('button', { name: 'Allow once' });
	const always = () => page.getByRole('button', { name: 'Always allow' });
	const row = (name: string) =>
		page.locator('.arguments tr', { has: page.getByRole('rowheader', { name, exact: true }) });

	beforeAll(async () => {
		({ page } = await place.open('approvals', { height: 600 }));
		caller = await HttpCaller.connect(new URL(page.url()).origin, place.token, 'agent');
	});
	afterAll(() => place.close(), 60_000);

	it('shows every argument in a row of its own, short ones first, and marks what cannot be seen', async () => {
		const text = `${forged}the end`;
		const reply = caller.callTool('page__write_note', {
			text,
			path: '/etc/pa\u202ess\u200bwd',
			'a b': 'x\ty\nz',
		});
		await row('path').waitFor();
		expect(await page.locator('.arguments th').allInnerTexts()).toEqual(['path', '"a b"', 'text']);
		expect(await row('path').locator('.value').innerText()).toBe('"/etc/pa\\u202ess\\u200bwd"');
		expect(await row('path').locator('.escape').allInnerTexts()).toEqual(['\\u202e', '\\u200b']);
		expect(await row('"a b"').locator('.value').innerText()).toBe('"x\\ty\\nz"');
		expect(await row('text').innerText()).toContain(`${text.length} characters, SHA-256 ${sha256(text)}`);
		expect(await row('text').locator('.value').innerText()).not.toContain('the end');
		expect(await page.locator('.arguments th').getByText('harmless').count()).toBe(0);

		// Every row is on the screen but one is folded.
		expect(await allow().isDisabled()).toBe(true);
		expect(await always().isDisabled()).toBe(true);
		await page.getByText('To allow it, read first: text').waitFor();
		await row('text').getByRole('button', { name: 'Unfold' }).click();
		expect(await row('text').locator('.value').innerText()).toContain('the end"');
		expect(await allow().isEnabled()).toBe(true);
		await page.getByRole('button', { name: 'Deny', exact: true }).click();
		expect(await reply).toContain('denied');
		await page.getByText('No call waits for you.').waitFor();
	});

	it('can be allowed only when every argument was on the screen', async () => {
		const short = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`option${at}`, at]));
		const reply = caller.callTool('page__write_note', { ...short, text: 'buy milk' });
		await row('option0').waitFor();
		await page.getByText(/To allow it, read first: .*option/).waitFor();
		expect(await allow().isDisabled()).toBe(true);
		// The decision is below the arguments: the end of the page is not all of it.
		await allow().scrollIntoViewIfNeeded();
		await row('text').waitFor();
		expect(await allow().isDisabled()).toBe(true);
		for (const each of await page.locator('.arguments tr').all()) await each.scrollIntoViewIfNeeded();
		await expect.poll(() => allow().isEnabled()).toBe(true);
		await allow().click();
		expect(await reply).toContain('write_note got buy milk');
		await page.getByText('No call waits for you.').waitFor();
	});

	it('has no decision in focus, and the first one on the way of the keyboard is to deny', async () => {
		await visit(page, 'overview');
		const reply = caller.callTool('page__write_note', { text: 'buy rice' });
		await page.getByLabel('1 waiting').waitFor();
		await page.getByRole('link', { name: /Approvals/ }).press('Enter');
		await expect.poll(() => allow().isEnabled()).toBe(true);
		const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
		expect(await focused()).not.toMatch(/^(?:Allow once|Always allow)$/);
		await page.keyboard.press('Enter');
		const order: string[] = [];
		for (let presses = 0; presses < 60 && !order.includes('Always allow'); presses++) {
			await page.keyboard.press('Tab');
			order.push(await focused());
		}
		const decisions = order.filter((text) => /^(?:Deny|Allow once|Always allow)$/.test(text));
		expect(decisions).toEqual(['Deny', 'Allow once', 'Always allow']);
		expect(await place.run('approve')).toContain('page__write_note');
		await page.getByRole('button', { name: 'Deny', exact: true }).press('Enter');
		expect(await reply).toContain('denied');
		await page.getByText('No call waits for you.').waitFor();
	});

	it('is given once by two pages that allow it at the same moment, and the second says so', async () => {
		await visit(page, 'approvals');
		const other = await page.context().newPage();
		await other.goto(page.url());
		const reply = caller.callTool('page__write_note', { text: 'buy tea' });
		const buttons = [page, other].map((each) => each.getByRole('button', { name: 'Allow once' }));
		for (const button of buttons) await expect.poll(() => button.isEnabled()).toBe(true);
		// The first answer is on its way when the second button is pressed.
		const held: Route[] = [];
		await page.context().route('**/api/approvals/*', async (route) => {
			if (route.request().method() !== 'POST') return route.continue();
			held.push(route);
			if (held.length === buttons.length) await Promise.all(held.map((each) => each.continue()));
		});
		for (const button of buttons) await button.click();
		expect(await reply).toContain('write_note got buy tea');
		const late = async (): Promise<number> => {
			const notices = [page, other].map((each) => each.getByText('has an answer already').count());
			return (await Promise.all(notices)).reduce((sum, count) => sum + count, 0);
		};
		await expect.poll(late).toBe(1);
		for (const each of [page, other]) await each.getByText('No call waits for you.').waitFor();
		await page.context().unrouteAll();
		await other.close();
	});

	it('is not given by the second click of a double click, which was for the call before it', async () => {
		await visit(page, 'approvals');
		const reply = caller.callTool('page__write_note', { text: 'buy salt' });
		await expect.poll(() => allow().isEnabled()).toBe(true);
		await allow().hover();
		await page.mouse.down({ clickCount: 2 });
		await page.mouse.up({ clickCount: 2 });
		await page.getByRole('button', { name: 'Deny', exact: true }).click();
		expect(await reply).toContain('denied');
	});
});
