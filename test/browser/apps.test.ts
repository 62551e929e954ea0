/* Pages made with the official SDK of MCP Apps, in a browser, behind the hub. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chromiumFlags } from '../../scripts/chromium.mjs';
import { chromiumPath } from '../support/chromium.ts';
import { serverWith } from '../support/modern-server.ts';
import { serveServers } from '../support/served-hub.ts';
import { temporaryFolder } from '../support/workspace.ts';

const capabilities = {
	extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

describe.skipIf(chromiumPath === undefined)('two servers with pages of the same URI', () => {
	it('get each the calls of their own page, under the name that the server gave its tool', async () => {
		const script = await bundled('page.mjs');
		const served = await serveServers({ one: pageServer('one', script), two: pageServer('two', script) });
		const client = await served.client({ capabilities });
		const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: chromiumFlags });
		onTestFinished(() => browser.close());
		const host = await bundled('host.mjs');
		for (const name of ['one', 'two']) {
			const uri = `ui://${name}/main`;
			const { contents } = await client.request('resources/read', { uri });
			const [content] = contents as { uri: string; text: string }[];
			expect(content?.uri).toBe(uri);
			const page = await browser.newPage();
			await page.exposeFunction('callTool', (params: object) => client.request('tools/call', params));
			await page.setContent('<!doctype html><body></body>');
			await page.addScriptTag({ content: host });
			await page.evaluate(`window.showPage(${JSON.stringify(content?.text)})`);
			await page.frameLocator('iframe').getByText(`data_${name} of ${name}`).waitFor();
		}
	});
});

/** A file of the fixtures with what it imports, as one script. */
async function bundled(name: string): Promise<string> {
	const file = join(temporaryFolder(), name);
	await build({
		input: resolve(import.meta.dirname, '../fixtures/apps', name),
		platform: 'browser',
		output: { file, format: 'iife', codeSplitting: false },
		logLevel: 'silent',
	});
	return readFileSync(file, 'utf8').replaceAll('</script', '<\\/script');
}

function pageServer(name: string, script: string): object {
	const html = `<!doctype html><body data-tool="data_${name}"><script>${script}</script></body>`;
	return serverWith(`
		const cached = { ttlMs: 1000, cacheScope: 'private' };
		const inputSchema = { type: 'object' };
		if (method === 'tools/list') {
			const show = { name: 'show', inputSchema, _meta: { ui: { resourceUri: 'ui://main' } } };
			return { tools: [show, { name: 'data_${name}', inputSchema, _meta: { ui: { visibility: ['app'] } } }], ...cached };
		}
		if (method === 'resources/list') return { resources: [{ uri: 'ui://main', name: 'main' }], ...cached };
		if (method === 'resources/templates/list') return { resourceTemplates: [], ...cached };
		if (method === 'resources/read')
			return { contents: [{ uri: params.uri, mimeType: 'text/html;profile=mcp-app', text: ${JSON.stringify(html)} }], ...cached };
		if (method === 'tools/call') return { content: [{ type: 'text', text: params.name + ' of ${name}' }] };
	`);
}
