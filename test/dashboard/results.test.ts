/* The stored results that the page gets, whole and shortened. */
import { expect, it } from 'vitest';
import { openTestDashboard } from '../support/dashboard.ts';
import { realServer } from '../support/mcp-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

it('lists the stored results, and has one whole and as its agent got it', async () => {
	const whole = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}`).join('\n');
	const folder = writeFiles(temporaryFolder(), { 'long.log': whole });
	const { login, served } = await openTestDashboard({
		servers: { files: realServer('filesystem', folder) },
		more: { results: { tools: { files__read_text_file: 500 } } },
	});
	const agent = await served.client({ name: 'claude-code' });
	const call = { name: 'files__read_text_file', arguments: { path: `${folder}/long.log` } };
	const { content, structuredContent, _meta } = await agent.request('tools/call', call);
	const handle = Object(_meta)['orchestra/handle'];
	const browser = await login();
	const row = { handle, tool: call.name, client: 'claude-code', bytes: whole.length, isPinned: false };
	expect(await browser.get('/api/results')).toMatchObject({ results: [row] });
	const reply = await browser.get(`/api/results/${handle}`);
	expect(reply).toMatchObject({ ...row, text: whole, isWhole: true });
	const sent = (content as { text: string }[]).map(({ text }) => text).join('\n');
	expect(reply['shortened']).toEqual({ text: sent, structured: JSON.stringify(structuredContent) });
	expect((await browser.page('/api/results/r-0')).status).toBe(404);
});
