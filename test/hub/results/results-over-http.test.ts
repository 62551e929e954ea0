/* Long results over HTTP, as the official SDK client gets them under the names of known agents. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type OpenDashboard, openTestDashboard } from '../../support/dashboard.ts';
import { realServer } from '../../support/mcp-folder.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const LINES = 20_000;

describe('a long result over HTTP', () => {
	it('reaches legacy and modern agents shortened, with a handle for `look` and `resources/read`', async () => {
		const files = await filesOverHttp();
		for (const [name, mode] of [
			['claude-code', 'legacy'],
			['codex-mcp-client', 'modern'],
		] as const) {
			const agent = await connect(files, name, mode);
			const { tools } = await agent.listTools();
			expect(tools.map((tool) => tool.name)).toContain('look');
			const { handle, text } = await agent.readLog();
			expect(text).toMatch(/^line 1\nline 2\n[^]*\[Shortened: [\d,]+ of 20,000 lines, /);
			expect(text.length).toBeLessThanOrEqual(8000 * 4);
			expect(await agent.look({ handle, op: 'count', pattern: '/^line 1\\d*$/' })).toContain('11111');
			expect(await agent.look({ handle, op: 'range', from: 777, to: 777 })).toContain('line 777\n');
			const page = await agent.readResource({ uri: `orchestra-result://${handle}?offset=0&length=6` });
			expect(page.contents).toMatchObject([{ text: 'line 1' }]);
		}
	});

	it('belongs to the session of a legacy client, and to the sender of modern ones', async () => {
		const files = await filesOverHttp();
		const legacy = await (await connect(files, 'claude-code', 'legacy')).readLog();
		const modern = await (await connect(files, 'claude-code', 'modern')).readLog();
		const other = await connect(files, 'codex-mcp-client', 'modern');
		const again = await connect(files, 'claude-code', 'legacy');
		const request = { op: 'tail', lines: 1 };
		expect(await other.look({ ...request, handle: modern.handle })).toContain(`line ${LINES}`);
		for (const [client, { handle }] of [
			[other, legacy],
			[again, legacy],
			[again, modern],
		] as const) {
			expect(await client.look({ ...request, handle })).toContain('there is no stored result');
			await expect(client.readResource({ uri: `orchestra-result://${handle}` })).rejects.toThrow();
		}
	});
});

type FilesOverHttp = OpenDashboard & { readonly log: string };

/** The filesystem server of the MCP project over a log of 20,000 lines. */
async function filesOverHttp(): Promise<FilesOverHttp> {
	const lines = Array.from({ length: LINES }, (_, at) => `line ${at + 1}`);
	const folder = writeFiles(temporaryFolder(), { 'long.log': lines.join('\n') });
	const opened = await openTestDashboard({ servers: { files: realServer('filesystem', folder) } });
	return { ...opened, log: join(folder, 'long.log') };
}

class Agent extends Client {
	log = '';

	async readLog(): Promise<{ handle: string; text: string }> {
		const result = await this.callTool({ name: 'files__read_text_file', arguments: { path: this.log } });
		return { handle: String(result._meta?.['orchestra/handle']), text: textOf(result.content) };
	}

	async look(input: Record<string, unknown>): Promise<string> {
		return textOf((await this.callTool({ name: 'look', arguments: input })).content);
	}
}

async function connect(
	{ http, token, log }: FilesOverHttp,
	name: string,
	era: 'legacy' | 'modern',
): Promise<Agent> {
	const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' as const };
	const agent = new Agent({ name, version: '1' }, { versionNegotiation: { mode } });
	agent.log = log;
	const requestInit = { headers: { Authorization: `Bearer ${token}` } };
	await agent.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit }));
	onTestFinished(() => agent.close());
	return agent;
}

function textOf(content: readonly { readonly type: string }[]): string {
	return content.map((block) => ('text' in block ? String(block.text) : '')).join('\n');
}
