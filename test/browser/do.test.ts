/* What the page lets a user do: each button runs a command of `mctl`, which is shown beside it. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { chromiumPath, DashboardPlace, visit } from '../support/chromium.ts';
import { npmPackage, startRegistry } from '../support/registry-server.ts';
import { serveSdk1 } from '../support/sdk-http.ts';
import { writeFiles } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');
const node = process.execPath;
const server = join(root, 'test/fixtures/servers/page-server.mjs');

const npmName = '@modelcontextprotocol/server-filesystem';
const { version } = JSON.parse(readFileSync(join(root, 'node_modules', npmName, 'package.json'), 'utf8'));
const folder = { type: 'positional', valueHint: 'folder', isRequired: true, description: 'A folder' };
const listed = {
	name: 'io.github.acme/shelf',
	version,
	packages: [npmPackage(npmName, version, { packageArguments: [folder] })],
};

/** Long: only in `npm run test:browser`. */
const isSkipped = chromiumPath === undefined || !runsAllTests;

describe.skipIf(isSkipped)('the page', () => {
	const place = new DashboardPlace({ mcpServers: {} });
	let page: Page;
	const servers = (): Record<string, unknown> =>
		JSON.parse(readFileSync(join(place.cwd, 'orchestra.json'), 'utf8')).mcpServers;
	const panel = (name: string) => page.getByRole('region', { name });

	beforeAll(async () => {
		writeFiles(place.home, {
			'.cursor/mcp.json': JSON.stringify({ mcpServers: { notes: { command: node, args: [server] } } }),
			'.gemini/settings.json': '{}',
		});
		({ page } = await place.open('add'));
	}, 60_000);
	afterAll(() => place.close(), 60_000);

	it('adds a server by its command line, and refuses a second one of its name', async () => {
		const add = panel('Add a server');
		await add.getByLabel('Name').fill('pages');
		await add.getByLabel('Command', { exact: true }).fill(`${node} ${server} 3`);
		await add.getByLabel('Variables').fill('DEBUG=1');
		await add.getByText(`mctl add pages --env=DEBUG=1 -- ${node} ${server} 3`, { exact: true }).waitFor();
		await add.getByRole('button', { name: 'Add', exact: true }).click();
		await add.getByRole('link', { name: 'pages is added' }).waitFor();
		expect(servers()['pages']).toEqual({ command: node, args: [server, '3'], env: { DEBUG: '1' } });
		await add.getByRole('button', { name: 'Add', exact: true }).click();
		await add.getByText('has a server "pages" already').waitFor();
		await add.getByLabel('Name').fill('pages2');
		await visit(page, 'servers/pages');
		await page.getByRole('heading', { name: 'pages', exact: true }).waitFor();
	});

	it('adds a server by its address', async () => {
		await visit(page, 'add?way=url');
		const add = panel('Add a server');
		await add.getByLabel('Name').fill('remote');
		await add.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/mcp');
		await add.getByRole('button', { name: 'Add', exact: true }).click();
		await add.getByRole('link', { name: 'remote is added' }).waitFor();
		expect(servers()['remote']).toEqual({ type: 'http', url: 'http://127.0.0.1:9/mcp' });
	});

	it('adds a server by its name in a registry, with the values that it needs', async () => {
		const registry = await startRegistry(listed);
		writeFiles(place.home, {
			'config/orchestra/config.json': JSON.stringify({ registries: [{ name: 'local', url: registry.url }] }),
		});
		// npx takes an installed package of the right version without a network.
		symlinkSync(join(root, 'node_modules'), join(place.cwd, 'node_modules'));
		await visit(page, 'add?way=registry');
		const add = panel('Add a server');
		await add.getByLabel('Words of its name').fill('shelf');
		await add.getByText('mctl search shelf', { exact: true }).waitFor();
		await add.getByRole('button', { name: 'Search', exact: true }).click();
		await add.getByRole('button', { name: listed.name }).click();
		await add.getByText(`npx -y ${npmName}@${version}`).waitFor();
		const button = add.getByRole('button', { name: 'Add', exact: true });
		expect(await button.isDisabled()).toBe(true);
		await add.getByLabel('folder').fill('.');
		await add.getByText(`mctl add ${listed.name} --set=folder=. --yes`, { exact: true }).waitFor();
		await button.click();
		await add.getByRole('link', { name: 'shelf is added' }).waitFor();
		expect(servers()['shelf']).toMatchObject({ command: 'npx', args: ['-y', `${npmName}@${version}`, '.'] });
	});

	it('signs in to a server, in a tab of the address that the command prints, and starts it', async () => {
		const { url } = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		await place.run('add', 'tracker', url);
		await visit(page, 'servers/tracker');
		await page.getByText('mctl auth tracker', { exact: true }).waitFor();
		await page.getByRole('button', { name: 'Sign in', exact: true }).click();
		const opened = page.waitForEvent('popup');
		await page.locator('.sign-in').getByRole('link').click();
		await (await opened)
			.getByText(/signed in|close this/i)
			.first()
			.waitFor();
		await page.getByText('Signed in to tracker.').waitFor();
		expect(await place.run('call', 'tracker__count', 'text=hi')).toBe('hi\n');
	});

	it('imports the servers of a client, after it showed the change of each file', async () => {
		await visit(page, 'add');
		const panelOfImport = panel('Import from your clients');
		await panelOfImport.getByRole('button', { name: 'Look' }).click();
		await panelOfImport.getByRole('checkbox', { name: 'notes' }).waitFor();
		const change = panelOfImport.locator('details', { hasText: '.cursor/mcp.json' });
		await change.locator('summary').click();
		await change.getByText('bridge').waitFor();
		await panelOfImport.getByText('mctl init --only=notes', { exact: true }).waitFor();
		await panelOfImport.getByRole('button', { name: 'Import 1 server' }).click();
		await panelOfImport.getByText('Done. Restart the clients.').waitFor();
		expect(await place.run('list', 'servers')).toMatch(/^notes\b/m);
		expect(readFileSync(join(place.home, '.cursor/mcp.json'), 'utf8')).toContain('bridge');
	});

	it('connects a client', async () => {
		const connect = panel('Connect a client');
		await connect.getByRole('combobox').selectOption('gemini');
		await connect.getByText('mctl init --client=gemini --yes', { exact: true }).waitFor();
		await connect.getByRole('button', { name: 'Connect Gemini CLI' }).click();
		await connect.getByText(/Done\.|Everything was so already/).waitFor();
		expect(readFileSync(join(place.home, '.gemini/settings.json'), 'utf8')).toContain('bridge');
	});

	it('lists the hubs of this user', async () => {
		await visit(page, 'hubs');
		await page.locator('.hubs .row', { hasText: place.cwd }).getByText('this one').waitFor();
	});

	it('says that the hub was restarted, finds it at the same port, and goes on after a sign-in', async () => {
		const { origin } = new URL(page.url());
		await visit(page, 'tools/pages__write_note');
		await page.locator('[name="/text"]').fill('half a note');
		await place.run('hub', 'stop', '--force');
		await page.getByText('The connection to the hub is lost').waitFor();
		expect((await place.link()).origin).toBe(origin);
		await page.getByText('The hub was restarted').waitFor();
		const other = await page.context().newPage();
		await other.goto((await place.link()).href);
		await page.getByRole('status').getByText('live').waitFor();
		await other.close();
		expect(await page.locator('[name="/text"]').inputValue()).toBe('half a note');
		await page.getByRole('button', { name: 'Call', exact: true }).click();
		await page.locator('.result').getByText('write_note got half a note').waitFor();
	});

	it('signs out, and knows the browser no more', async () => {
		await page.getByRole('button', { name: 'Sign out' }).click();
		await page.getByText('This page is signed out.').waitFor();
		const answer = await page.request.get(`${new URL(page.url()).origin}/api/state`);
		expect(answer.status()).toBe(401);
	});
});
