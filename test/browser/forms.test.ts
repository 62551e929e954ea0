/* Forms with a field of each kind, and calls that go on as tasks. */
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { chromiumPath, DashboardPlace, visit } from '../support/chromium.ts';

const fixtures = resolve(import.meta.dirname, '../fixtures/servers');
const node = process.execPath;
/** For a look at them; not part of the repository. */
const SHOTS = resolve(import.meta.dirname, '../../coverage/screenshots');
const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Long: only in `npm run test:browser`. */
const isSkipped = chromiumPath === undefined || !runsAllTests;

describe.skipIf(isSkipped)('the page', () => {
	const place = new DashboardPlace({
		mcpServers: {
			page: { command: node, args: [join(fixtures, 'page-server.mjs')] },
			work: { command: node, args: [join(fixtures, 'task-server.mjs'), 'plain'] },
		},
		tasks: { always: ['work__slow_compute'] },
	});
	let page: Page;

	beforeAll(async () => {
		({ page } = await place.open('tools/page__book'));
	}, 60_000);
	afterAll(() => place.close(), 60_000);

	it('has pickers, files and alternatives in a form, and sends what was chosen', async () => {
		const field = (pointer: string) => page.locator(`[name="${pointer}"]`);
		const call = page.getByRole('button', { name: 'Call', exact: true });
		await call.click();
		await page.getByText('At least 1 item.').waitFor();
		await field('/day').fill('2026-11-18');
		await field('/at').fill('08:30');
		await field('/from').fill('2026-11-18T09:15');
		await field('/photo').setInputFiles({
			name: 'pixel.png',
			mimeType: 'image/png',
			buffer: Buffer.from(PIXEL, 'base64'),
		});
		await page.getByText(/image\/png 1 × 1/).waitFor();
		await field('/paper').setInputFiles({
			name: 'a.txt',
			mimeType: 'text/plain',
			buffer: Buffer.from('paper'),
		});
		await page.getByText('a.txt, 5 B').waitFor();
		const payer = page.getByLabel('Who pays');
		await field('/who/card').fill('12');
		await page.getByText('At least 4 characters.').waitFor();
		await payer.selectOption('Cash');
		await field('/who/card').waitFor({ state: 'detached' });
		await field('/who/coins').fill('3');
		await page.getByLabel('room').selectOption('Name');
		await field('/room').fill('12');
		await page.locator('fieldset', { hasText: 'guests' }).last().getByRole('button', { name: 'Add' }).click();
		await field('/guests/0').fill('Ada');
		await page.screenshot({ path: join(SHOTS, 'form.png'), fullPage: true });
		await call.click();
		await page.locator('.result').waitFor();
		await page.getByRole('button', { name: 'Copy JSON', exact: true }).waitFor();
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await page.getByRole('button', { name: 'Copy JSON', exact: true }).click();
		const copied = JSON.parse(await page.evaluate('navigator.clipboard.readText()'));
		const sent = JSON.parse(copied.content[0].text);
		expect(sent).toEqual({
			day: '2026-11-18',
			at: expect.stringMatching(/^08:30:00(?:Z|[+-]\d\d:\d\d)$/),
			from: expect.stringMatching(/^2026-11-18T09:15:00(?:Z|[+-]\d\d:\d\d)$/),
			photo: PIXEL,
			paper: btoa('paper'),
			who: { coins: 3 },
			room: '12',
			guests: ['Ada'],
		});
	});

	it('shows a task of a client that is gone, and cancels it', async () => {
		const { origin } = await place.link();
		const requestInit = { headers: { authorization: `Bearer ${place.token}` } };
		const client = new Client({ name: 'leaver', version: '1.0.0' });
		await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit }));
		const call = { name: 'work__slow_compute', arguments: { seconds: 600, label: 'sum' } };
		const messages = client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
			task: { ttl: 600_000 },
		});
		expect((await messages.next()).value).toMatchObject({ type: 'taskCreated' });
		await client.close();
		await visit(page, 'tasks');
		const row = page.locator('.task-rows .row', { hasText: 'work__slow_compute' });
		await row.getByText('working').waitFor();
		await row.getByText('leaver').waitFor();
		await row.getByText(/mctl tasks show \w{8}/).waitFor();
		for (const width of [390, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
			await page.screenshot({ path: join(SHOTS, `tasks-${width}.png`) });
		}
		await row.getByRole('button', { name: 'Cancel' }).click();
		await row.getByText('cancelled').waitFor();
		await row.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
		expect(await place.run('tasks')).toMatch(/cancelled/);
	});
});
