/*
 * Every screen of the page, in both themes, checked by axe-core: names, roles, contrast, order.
 * What is on the screens is real: servers that fail, calls, an approval that waits, a form.
 */
import { join, resolve } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { chromiumPath, DashboardPlace, visit } from '../support/chromium.ts';
import { HttpCaller } from '../support/http-caller.ts';

const root = resolve(import.meta.dirname, '../..');
const node = process.execPath;

const place = new DashboardPlace(
	{
		mcpServers: {
			page: { command: node, args: [join(root, 'test/fixtures/servers/page-server.mjs')], record: true },
			broken: { command: node, args: ['-e', 'console.error("no key"); process.exit(3)'] },
			unset: { command: 'x', env: { KEY: '${NO_SUCH_VARIABLE}' } },
		},
		policy: [{ tools: 'page__write_note', action: 'ask' }],
	},
	{ 'resources/guides/testing.md': '---\ntitle: Testing\n---\n# Testing\n\nSee it **fail** first.\n' },
);

/** A screen, and what is there when it has been drawn. */
const screens: readonly (readonly [route: string, shown: string])[] = [
	['overview', '.flow-node'],
	['tools', '.virtual-row'],
	['tools?q=note', '.reason'],
	['tools/page__write_note', '.try'],
	['calls', '.virtual-row'],
	['calls/1', '.waterfall'],
	['servers', '.server-rows .row'],
	['servers/page', '.chart'],
	['servers/broken', '.error-text'],
	['approvals', '.approval'],
	['library?q=test', '.item-row'],
	['usage', '.usage-rows .row'],
	['tasks', '.panel'],
	['results', '.panel'],
	['add', 'form'],
	['add?way=registry', 'form'],
	['hubs', '.hubs .row'],
	['settings', '.settings .row'],
];

/** Long: only in `npm run test:browser`. */
const isSkipped = chromiumPath === undefined || !runsAllTests;

describe.skipIf(isSkipped)('axe-core has no complaint', () => {
	const pages = new Map<string, Page>();

	beforeAll(async () => {
		const { origin } = await place.link();
		const agent = await HttpCaller.connect(origin, place.token, 'agent');
		for (const scheme of ['light', 'dark'] as const)
			pages.set(scheme, (await place.open('overview', { scheme })).page);
		await agent.callTool('page__count');
		// Its history is then longer than its panel.
		for (let crashes = 0; crashes < 3; crashes++) await agent.callTool('page__crash');
		void agent.callTool('page__write_note', { text: 'a note' }).catch(() => undefined); // it waits until the end
	}, 60_000);
	afterAll(() => place.close(), 60_000);

	it.each(
		screens.flatMap(([route, shown]) => ['light', 'dark'].map((scheme) => [route, scheme, shown] as const)),
	)(
		'about %s, %s',
		async (route, scheme, shown) => {
			const page = pages.get(scheme);
			if (!page) throw new Error('no page');
			await visit(page, route);
			await page.locator(`main ${shown}`).first().waitFor();
			expect(await violationsOn(page)).toEqual([]);
		},
		30_000,
	);
});

/** Each as its rule and its first place. */
async function violationsOn(page: Page): Promise<string[]> {
	await page.evaluate(axe.source);
	const found: { id: string; nodes: { html: string; failureSummary: string }[] }[] = await page.evaluate(
		`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
	);
	return found.map(({ id, nodes: [first] }) => `${id}: ${first?.html}\n${first?.failureSummary}`);
}
