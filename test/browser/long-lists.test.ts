/* Lists of 10,000 rows: only the visible rows exist, wherever the reader is. */

import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { chromiumPath, DashboardPlace } from '../support/chromium.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/page-server.mjs');
const TOOLS = 10_000;
const place = new DashboardPlace({
	mcpServers: { page: { command: process.execPath, args: [server, String(TOOLS)] } },
});

describe.skipIf(chromiumPath === undefined || !runsAllTests)('a list of 10,000 tools', () => {
	afterAll(() => place.close(), 60_000);

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
	}, 60_000);
});
