/* Every text that a server or a client controls is shown as text, with control characters visible. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, DashboardPlace, type PageRecord, visit } from '../support/chromium.ts';
import { HttpCaller } from '../support/http-caller.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/page-server.mjs');
const attack = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>\u001b[31m\u202e';
const place = new DashboardPlace(
	{
		mcpServers: {
			page: { command: process.execPath, args: [server], env: { ['TOKEN']: 'x' }, record: true },
		},
		policy: [{ tools: 'page__write_note', action: 'ask', reason: attack }],
	},
	{
		'resources/guides/hostile.md': `---\ntitle: '${attack.slice(0, 73)}'\ndescription: hostile\n---\n# ${attack}\n\n[x](javascript:window.injected=1)\n`,
	},
);

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
	});
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
		['tools/page__ask?kind=prompt', '.item-page', 'evil.example/prompt'],
		['tools/page__ask?kind=prompt', '.fields', 'evil.example/argument'],
		['tools?show=resource', '.virtual-list', 'evil.example/resource'],
		['tools/page%3A%2F%2F%7Bhost%7D%2F%7B%2Bpath%7D?kind=template', '.item-page', 'evil.example/template'],
		['library?q=hostile', '.virtual-list', 'onerror='],
		['library/orchestr8%3A%2F%2Fguides%2Fhostile', '.document', 'onerror='],
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
		await page.locator('.run .log').getByText('evil.example/logger').first().waitFor();
		await page.locator('.run-state a').click();
		const messages = page.getByRole('region', { name: 'Progress and logs' });
		for (const place of ['step', 'logger', 'log"'])
			await messages.getByText(`evil.example/${place}`).first().waitFor();
		await page.getByRole('button', { name: 'Cancel' }).click();
		await expectNothingInjected(page);
	});

	it('is text in a prompt, in a resource and in an elicitation', async () => {
		await visit(page, 'tools/page__ask?kind=prompt');
		await page.locator('[name="/topic"]').fill('x');
		await page.getByRole('button', { name: 'Get prompt' }).click();
		await page.locator('.result').getByText('evil.example/message').first().waitFor();
		await visit(page, 'tools/page%3A%2F%2Fany?kind=resource');
		await page.getByRole('button', { name: 'Read', exact: true }).click();
		await page.locator('.result').getByText('evil.example/contents').first().waitFor();
		await visit(page, 'tools/page__question');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		const question = page.getByRole('form', { name: 'Input for the tool' });
		for (const place of ['question', 'answer-title', 'answer"'])
			await question.getByText(`evil.example/${place}`).first().waitFor();
		await question.getByRole('button', { name: 'Decline' }).click();
		await page.locator('.result').getByText('the person said decline').waitFor();
		await expectNothingInjected(page);
	});

	it('is text in the comparison of a replayed call', async () => {
		await visit(page, 'tools/page__count');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.result').getByText('evil.example/count').first().waitFor();
		await page.locator('.run-state a').click();
		await page.getByRole('button', { name: 'Make this call again' }).click();
		await page.locator('.comparison ins').first().waitFor();
		expect(await page.locator('.comparison img, .comparison script').count()).toBe(0);
		await expectNothingInjected(page);
	});

	it('is text in what changed since it was pinned', async () => {
		writeFileSync(join(place.cwd, 'note.txt'), `A note ${attack}`);
		await visit(page, 'servers/page');
		await page.getByRole('button', { name: /^(?:Restart|Start) page$/ }).click();
		await page.locator('.drift ins').getByText('onerror').first().waitFor();
		expect(await page.locator('.drift img, .drift script').count()).toBe(0);
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
