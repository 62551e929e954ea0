/* Every text that a server or a client controls is shown as text, with control characters visible. */
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, DashboardPlace, type PageRecord, visit } from '../support/chromium.ts';
import { HttpCaller } from '../support/http-caller.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/page-server.mjs');
const attack = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>\u001b[31m\u202e';
const place = new DashboardPlace({
	mcpServers: { page: { command: process.execPath, args: [server], env: { ['TOKEN']: 'x' } } },
	policy: [{ tools: 'page__write_note', action: 'ask', reason: attack }],
});

describe.skipIf(chromiumPath === undefined)('a text of a server', () => {
	let page: Page;
	let record: PageRecord;

	beforeAll(async () => {
		({ page, record } = await place.open());
		const caller = await HttpCaller.connect(new URL(page.url()).origin, place.token, attack);
		await caller.callTool('page__attack');
		await caller.callTool('page__attack', { fails: true });
		await caller.callTool('page__crash');
		void caller.callTool('page__write_note', { text: attack, [attack]: attack }).catch(() => {});
		await page.getByLabel('1 waiting').waitFor();
	}, 60_000);
	afterAll(() => place.close(), 60_000);

	it.each([
		['overview', 'main', 'onerror='],
		['servers/page', '.output', 'evil.example/stderr'],
		['servers/page', 'main', 'server-version'],
		['tools', '.virtual-list', 'evil.example/'],
		['tools/page__attack', '.subtitle', 'evil.example/title'],
		['tools/page__attack', '.markdown', 'javascript:window.injected'],
		['tools/page__attack', '.fields', 'evil.example/property-description'],
		['tools/page__attack', '.schema', 'evil.example/enum'],
		['tools/page__ask?kind=prompt', '.offer-page', 'evil.example/prompt'],
		['calls', '.virtual-list', 'onerror='],
		['approvals', '.approval-list', 'onerror='],
		['settings', '.settings', 'onerror='],
	])('is text in %s, %s', async (route, part, expected) => {
		await visit(page, route);
		const box = page.locator(part).first();
		await box.getByText(expected).first().waitFor();
		expect(await box.locator('img, script, style, iframe, object, embed').count()).toBe(0);
		await expectNothingInjected(page);
	});

	it('is text in a result, a link, a tree and an image', async () => {
		await visit(page, 'tools/page__attack');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		const result = page.locator('.result');
		for (const place of ['result', 'markdown', 'cell', 'key', 'json', 'link', 'embedded', 'structured'])
			await result.getByText(`evil.example/${place}"`).first().waitFor();
		await result.getByText('the browser cannot decode this image').waitFor();
		for (const button of await result.getByRole('button', { name: 'markdown' }).all()) await button.click();
		const links = await result
			.locator('a')
			.evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
		expect(links.filter((href) => !/^(?:#\/|https?:\/\/)/.test(href))).toEqual([]);
		await expectNothingInjected(page);
	});

	it('is text in an error, in progress and in log messages', async () => {
		await visit(page, 'tools/page__attack');
		await page.locator('[name="/fails"]').check();
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.error-text').getByText('evil.example/error').first().waitFor();
		await visit(page, 'tools/page__slow');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.progress').getByText('evil.example/step').waitFor();
		await page.locator('.run .log').getByText('evil.example/log').first().waitFor();
		await page.getByRole('button', { name: 'Cancel' }).click();
		await expectNothingInjected(page);
	});

	it('shows its control characters as escapes', async () => {
		await visit(page, 'tools/page__attack');
		await page.locator('.subtitle .escape').first().waitFor();
		const escapes = await page.locator('.subtitle .escape').allTextContents();
		expect(escapes.join(' ')).toContain(String.raw`\x1b`);
		expect(escapes.join(' ')).toContain(String.raw`\u202e`);
		const raw = await page.locator('main').textContent();
		// oxlint-disable-next-line no-control-regex -- the characters that must not be there
		expect(raw).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e]/);
	});

	it('makes the page send nothing to another origin', () => {
		expect(record.strangers).toEqual([]);
		expect(record.complaints).toEqual([]);
	});
});

async function expectNothingInjected(page: Page): Promise<void> {
	expect(await page.evaluate('window.injected')).toBeUndefined();
}
