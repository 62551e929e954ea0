/* Stored results in the page: the whole beside what the agent got. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { chromiumPath, DashboardPlace, visit } from '../support/chromium.ts';
import { HttpCaller } from '../support/http-caller.ts';

const server = resolve(
	import.meta.dirname,
	'../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);

/** Long: only in `npm run test:browser`. */
describe.skipIf(chromiumPath === undefined || !runsAllTests)('the page', () => {
	const place = new DashboardPlace({
		mcpServers: { files: { command: process.execPath, args: [server, '.'] } },
	});
	afterAll(() => place.close(), 60_000);

	it('shows a stored result whole and shortened, at any width', async () => {
		const { page } = await place.open('results');
		await page.getByText('No result is stored.').waitFor();
		const log = join(place.cwd, 'long.log');
		writeFileSync(log, Array.from({ length: 10_000 }, (_, at) => `line ${at + 1}`).join('\n'));
		const { origin } = await place.link();
		const agent = await HttpCaller.connect(origin, place.token, 'claude-code');
		await agent.callTool('files__read_text_file', { path: log });
		await page.getByRole('link', { name: 'files__read_text_file' }).click();
		const panel = (name: string) => page.getByRole('region', { name, exact: true });
		await panel('Whole').getByText('line 10000').waitFor();
		await panel('Shortened')
			.getByText(/\[Shortened: [\d,]+ of 10,000 lines/)
			.waitFor();
		for (const width of [390, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
		}
		await visit(page, 'results/r-0');
		await page.getByText('the page has no result r-0').waitFor();
	});
});
