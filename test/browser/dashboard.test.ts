/* The page in a real browser, with real servers, a plugin and a tool behind the hub. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, DashboardPlace, type PageRecord, visit } from '../support/chromium.ts';
import { HttpCaller } from '../support/http-caller.ts';

const root = resolve(import.meta.dirname, '../..');
const official = (name: string): string =>
	join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const node = process.execPath;

const place = new DashboardPlace(
	{
		tools: { roots: [join(root, 'examples/tools')] },
		plugins: [
			{ id: 'tools.projects', binary: node, args: [join(root, 'examples/plugins/projects/plugin.mjs')] },
		],
		mcpServers: {
			everything: { command: node, args: [official('server-everything')] },
			files: { command: node, args: [official('server-filesystem'), '.'], record: true },
			page: { command: node, args: [join(root, 'test/fixtures/servers/page-server.mjs')] },
		},
		policy: [{ tools: 'page__write_note', action: 'ask', reason: 'notes are for people' }],
	},
	{
		'notes.txt': 'a line',
		'resources/guides/testing.md':
			'---\ntitle: Testing\ndescription: How to write a test\n---\n# Testing\n\nSee it **fail** first.\n',
	},
);

// One line for all browser tests.
if (chromiumPath === undefined)
	console.warn('browser tests are skipped: there is no Chromium. `npm run test:browser` installs it.');

describe.skipIf(chromiumPath === undefined)('the page', () => {
	let page: Page;
	let record: PageRecord;

	/** The JSON that a button puts into the clipboard. */
	const copied = async (button: string): Promise<unknown> => {
		await page.getByRole('button', { name: button, exact: true }).click();
		return JSON.parse(await page.evaluate('navigator.clipboard.readText()'));
	};

	beforeAll(async () => {
		({ page, record } = await place.open());
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	});
	afterAll(() => place.close(), 60_000);

	it('shows every source, stops one and starts it again', async () => {
		const row = (name: string) =>
			page.locator('.backends .row', { has: page.getByRole('link', { name, exact: true }) });
		for (const name of ['tools', 'library', 'tools.projects', 'everything', 'files', 'page'])
			await row(name).waitFor();
		const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
		// It runs when a list was needed already.
		await page.getByRole('button', { name: /^(?:Restart|Start) files$/ }).click();
		await page
			.getByText(/mctl server (?:re)?start files/)
			.first()
			.waitFor();
		await row('files')
			.getByText(/pid \d+/)
			.waitFor();
		await press('Stop files');
		await page.getByText('mctl server stop files').waitFor();
		await press('Start files');
		await row('files')
			.getByText(/pid \d+/)
			.waitFor();
		await page.getByRole('button', { name: 'Commands', exact: true }).click();
		await row('files').getByText('mctl server restart files').waitFor();
		await press('Disable files');
		await row('files').getByText('disabled').waitFor();
		await press('Enable files');
		await row('files').getByText('disabled').waitFor({ state: 'detached' });
		await press('Disable tools.projects');
		await page.getByText('mctl disable tools.projects').first().waitFor();
		await row('tools.projects').getByText('disabled').waitFor();
		await press('Enable tools.projects');
		await row('tools.projects')
			.getByText(/pid \d+/)
			.waitFor();
	});

	it('draws who talks to what, filters by a click, and has the numbers of a step for the keyboard', async () => {
		const agent = await HttpCaller.connect((await place.link()).origin, place.token, 'painter');
		for (let count = 0; count < 3; count++) await agent.callTool('everything__echo', { message: 'hi' });
		await agent.callTool('files__read_text_file', { path: '/outside' });
		await visit(page, 'overview');
		await page.getByRole('button', { name: 'painter connected 4 calls, 1 failed' }).click();
		await page.getByText('4 calls', { exact: true }).first().waitFor();
		await page.getByRole('button', { name: /^everything \d+ tools 3 calls$/ }).click();
		const chart = page.getByRole('slider', { name: 'Calls over time: 3, 0 failed' });
		await chart.focus();
		await chart.press('Home');
		await page.locator('.numbers', { hasText: /\d\d:\d\d:\d\d/ }).waitFor();
		await page.getByRole('button', { name: 'Access', exact: true }).click();
		await page.getByRole('button', { name: /^page .* ask/ }).waitFor();
		await page.getByRole('button', { name: 'Calls', exact: true }).click();
		await page.getByRole('button', { name: 'Show all' }).click();
		expect(await page.evaluate('location.hash')).toBe('#/overview');
	});

	it('finds a tool while its name is typed, says why, and calls it through a form of its schema', async () => {
		await visit(page, 'tools');
		await page.getByLabel('Search tools, prompts and resources').fill('add two numbers');
		const found = page.getByRole('option', { name: /everything__get-sum/ });
		await found.locator('.reason').first().waitFor();
		await found.click();
		await page.locator('[name="/a"]').fill('seven');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		expect(await page.locator('.problem').allTextContents()).toEqual([
			'Enter a number.',
			'Required.',
			'2 fields need a change.',
		]);
		await page.locator('[name="/a"]').fill('7');
		await page.locator('[name="/b"]').fill('35');
		expect(await page.locator('.copy-as code').textContent()).toBe(
			`mctl call everything__get-sum --input '{"a":7,"b":35}'`,
		);
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.result').getByText('42').waitFor();
		expect(await copied('Copy as JSON-RPC')).toMatchObject({
			method: 'tools/call',
			params: { name: 'everything__get-sum', arguments: { a: 7, b: 35 } },
		});
		expect(await copied('Copy JSON')).toHaveProperty('content');
	});

	it('shows progress and log messages while a call runs, and cancels it', async () => {
		await visit(page, 'tools/page__slow');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.progress').getByText('of 1000').waitFor();
		await page.locator('.run .log li').nth(2).waitFor();
		await page.getByRole('button', { name: 'Cancel' }).click();
		await page.locator('.run-state').getByText('canceled').waitFor();
		await page.locator('.run-state a').click();
		await page.locator('.call-page header').getByText('canceled').waitFor();
		await visit(page, 'servers/page');
		await page.locator('.output').getByText('canceled by the client').waitFor();
	});

	it('keeps a call and the draft of its form when the view is left, and cancels it from its own view', async () => {
		await visit(page, 'tools/page__write_note');
		await page.locator('[name="/text"]').fill('half a note');
		await visit(page, 'tools/page__slow');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.run-state').getByText('running').waitFor();
		await page.locator('.run-state a').click();
		await page.locator('.call-page .log li').nth(2).waitFor();
		expect(await page.locator('.call-page > header').textContent()).toContain('runningphase run');
		await page.getByRole('list', { name: 'Progress messages' }).locator('li').nth(2).waitFor();
		await page.getByRole('list', { name: 'Log messages' }).locator('li').nth(2).waitFor();
		await visit(page, 'tools/page__write_note');
		expect(await page.locator('[name="/text"]').inputValue()).toBe('half a note');
		await visit(page, 'tools/page__slow');
		await page.locator('.run-state').getByText('running').waitFor();
		await page.locator('.run-state a').click();
		await page.locator('.call-page').getByRole('button', { name: 'Cancel' }).click();
		await page.locator('.call-page > header').getByText('canceled').waitFor();
	});

	it('shows an image, a prompt and a resource', async () => {
		await visit(page, 'tools/everything__get-tiny-image');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.getByText(/image\/png \d+ × \d+/).waitFor();
		await visit(page, 'tools/page__ask?kind=prompt');
		await page.locator('[name="/topic"]').fill('tests');
		await page.getByRole('button', { name: 'Get prompt' }).click();
		await page.locator('.result').getByText('About tests').waitFor();
		await visit(page, 'tools?show=resource');
		await page.getByRole('option').first().click();
		await page.getByRole('button', { name: 'Read', exact: true }).click();
		await page.locator('.result .part').first().waitFor();
		await visit(page, 'tools?show=template&q=page');
		await page.getByRole('option', { name: /\{\+path\}/ }).click();
		await page.locator('.facts').getByText('text/html').waitFor();
		await page.locator('[name=host]').fill('a/b');
		await page.locator('[name=path]').fill('c/d');
		await page.getByText('mctl read page://a%2Fb/c/d').waitFor();
		expect(await copied('Copy as JSON-RPC')).toMatchObject({
			method: 'resources/read',
			params: { uri: 'page://a%2Fb/c/d' },
		});
	});

	it('plays a sound and follows a link of a result', async () => {
		await visit(page, 'tools/page__media');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.getByRole('button', { name: '▶ Play' }).click();
		await page.locator('.audio').getByText('0.1 s').waitFor();
		await page.getByRole('link', { name: 'the linked page' }).click();
		await page.getByRole('button', { name: 'Read', exact: true }).click();
		await page.locator('.result').getByText('evil.example/contents').first().waitFor();
	});

	it('shows the elicitation of a tool as a form', async () => {
		await visit(page, 'tools/everything__trigger-elicitation-request');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		const question = page.getByRole('form', { name: 'Input for the tool' });
		await question.locator('[name="/name"]').fill('Ada');
		await question.getByRole('button', { name: 'Decline' }).click();
		await page
			.locator('.result')
			.getByText(/declined/i)
			.first()
			.waitFor();
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await question.locator('[name="/name"]').fill('Ada');
		await question.locator('[name="/integer"]').fill('7.5');
		await question.getByRole('button', { name: 'Send' }).click();
		await question.getByText('Enter a whole number.').waitFor();
		await question.locator('[name="/integer"]').fill('7');
		await question.locator('[name="/birthdate"]').fill('1815-12-10');
		await question.locator('[name="/check"]').check();
		await question.getByRole('button', { name: 'Send' }).click();
		for (const answer of ['Name: Ada', 'Agreed to terms: true', 'Birthdate: 1815-12-10', 'Integer: 7'])
			await page.locator('.result').getByText(answer).first().waitFor();
	});

	it('shows a crash as it happens, with its last stderr lines', async () => {
		await visit(page, 'servers/page');
		await page.locator('.server-page header').getByText('page').waitFor();
		const caller = await HttpCaller.connect(new URL(page.url()).origin, place.token, 'crasher');
		await caller.callTool('page__crash');
		await page.locator('.output').getByText('and then it crashes').first().waitFor();
		await page
			.locator('.history')
			.getByText(/code 3/)
			.first()
			.waitFor();
		await visit(page, 'overview');
		await page.getByRole('region', { name: 'Clients' }).getByText('crasher').waitFor();
	});

	it('gives an approval that another client waits for', async () => {
		const caller = await HttpCaller.connect(new URL(page.url()).origin, place.token, 'writer');
		const text = `buy milk\n${'and eggs '.repeat(300)}\nthe end`;
		const reply = caller.callTool('page__write_note', { text });
		await page.getByLabel('1 waiting').waitFor();
		await page.getByRole('link', { name: /Approvals/ }).click();
		await page.getByRole('button', { name: 'Unfold' }).click();
		expect(await page.locator('.arguments .value').innerText()).toMatch(
			/"buy milk\\n\n(?:and eggs ){300}\\n\nthe end"/,
		);
		await page.getByText(/mctl approve deny \w+/).waitFor();
		await page.getByRole('button', { name: 'Allow once' }).click();
		expect(await reply).toContain('write_note got buy milk');
		await page.getByText('page__write_note of writer: the call ended with ok.').waitFor();
		await page.getByText('No call waits for you.').waitFor();
		const next = caller.callTool('page__write_note', { text: 'buy bread' });
		await page.getByRole('button', { name: 'Compare with the last call' }).click();
		await page.locator('.arguments ins').getByText('bread').waitFor();
		await page.getByRole('button', { name: 'Deny', exact: true }).click();
		expect(await next).toContain('denied');
		await page.getByText(/page__write_note of writer: the call ended with (?:failed|error)/).waitFor();
		await page.getByText('No call waits for you.').waitFor();
		const last = caller.callTool('page__write_note', { text: 'buy rice' });
		await page.getByRole('button', { name: 'Always allow' }).click();
		await page.getByText(/From now on: .*page__write_note/).waitFor();
		expect(await last).toContain('write_note got buy rice');
		expect(await caller.callTool('page__write_note', { text: 'again' })).toContain('write_note got again');
	});

	it('shows what changed in a tool since it was pinned, as a word diff, and accepts it', async () => {
		writeFileSync(join(place.cwd, 'note.txt'), 'Writes a secret note.');
		await visit(page, 'servers/page');
		await page.getByRole('button', { name: 'Restart page', exact: true }).click();
		await page.locator('.drift ins').getByText('secret').waitFor();
		await page.getByRole('button', { name: 'Quarantine page', exact: true }).click();
		await page.locator('.drift').getByText('left out of lists until accepted').first().waitFor();
		await page.getByRole('button', { name: 'Accept changes page', exact: true }).click();
		await page.locator('.drift').waitFor({ state: 'detached' });
	});

	it('writes a rule about a tool, which counts for the next call', async () => {
		await visit(page, 'tools/everything__get-sum');
		await page.getByLabel('New rule for everything__get-sum').selectOption('deny');
		await page.locator('.policy-control').getByText('mctl policy add everything__get-sum deny').waitFor();
		await page.getByRole('button', { name: 'Write rule' }).click();
		await page
			.locator('.facts')
			.getByText(/deny · .*orchestra\.json:\d+/)
			.waitFor();
		await page.locator('[name="/a"]').fill('1');
		await page.locator('[name="/b"]').fill('2');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page
			.locator('.result')
			.getByText(/the policy denies it/)
			.first()
			.waitFor();
		await visit(page, 'servers/everything');
		await page.getByLabel('New rule for everything__*').waitFor();
		await page.locator('.rules').getByText('everything__get-sum').waitFor();
	});

	it('lists the calls live, filters them and shows the phases of one', async () => {
		await visit(page, 'calls');
		const caller = await HttpCaller.connect(new URL(page.url()).origin, place.token, 'reader');
		await caller.callTool('files__list_allowed_directories');
		const row = page.getByRole('option', { name: /files__list_allowed_directories.*reader/ });
		await row.waitFor();
		await page.getByLabel('Client', { exact: true }).fill('nobody');
		await page.getByText('No call matches the filter.').waitFor();
		await page.getByLabel('Client', { exact: true }).fill('reader');
		await row.click();
		await page.getByRole('list', { name: 'Phases' }).getByText('run').waitFor();
		await page.getByRole('slider', { name: /Latency over time/ }).waitFor();
	});

	it('makes a recorded call again on request, and compares the answers', async () => {
		const button = page.getByRole('button', { name: 'Make this call again' });
		await visit(page, 'tools/files__list_allowed_directories');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.result').waitFor();
		await page.locator('.run-state a').click();
		await button.click();
		await page.locator('.comparison').getByText('The answer is the same as the recorded one.').waitFor();
		await visit(page, 'tools/files__read_text_file');
		await page.locator('[name="/path"]').fill('notes.txt');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.result').getByText('a line').first().waitFor();
		writeFileSync(join(place.cwd, 'notes.txt'), 'a longer line');
		await page.locator('.run-state a').click();
		await button.click();
		await page.locator('.comparison ins').getByText('longer').first().waitFor();
	});

	it('searches the library and renders a document', async () => {
		await visit(page, 'library?q=test');
		await page.getByRole('option', { name: /Testing/ }).click();
		await page.locator('.document strong').getByText('fail').waitFor();
		await visit(page, 'library?q=test');
		await page
			.getByRole('option', { name: /score [01]\.\d\d/ })
			.first()
			.waitFor();
		await page.getByLabel('Token budget').fill('1');
		await page.getByText('mctl find test --max-tokens 1').waitFor();
		await page
			.getByText(/over the budget/)
			.first()
			.waitFor();
	});

	it('shows the configuration with the file of each value', async () => {
		await visit(page, 'settings?q=mcpServers.files');
		await page.getByRole('row', { name: /mcpServers\.files\.args.*orchestra\.json/ }).waitFor();
		await visit(page, 'settings?q=no-such-setting');
		await page.getByRole('link', { name: 'Show all values' }).click();
		await page.getByRole('row').first().waitFor();
	});

	it('sends no request to another origin and makes the browser complain about nothing', () => {
		expect(record.strangers).toEqual([]);
		expect(record.complaints).toEqual([]);
	});
});
