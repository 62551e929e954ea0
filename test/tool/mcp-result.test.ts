import { describe, expect, it } from 'vitest';
import type { ToolEvent } from '../../src/tool/event.ts';
import { mcpLogOf, mcpProgressOf, mcpResultOf } from '../../src/tool/mcp-result.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { runToEnd, shellTool } from '../support/tool-folder.ts';

describe('mcpResultOf', () => {
	it('gives the result as structured content and as JSON text', async () => {
		expect(await answerOf(`event result '{"n":1}'`)).toEqual({
			content: [{ type: 'text', text: '{"n":1}' }],
			structuredContent: { n: 1 },
		});
	});

	it('shows the text of a result that has one', async () => {
		const { content, structuredContent } = await answerOf(`event result '{"text":"hi","n":1}'`);
		expect(content).toEqual([{ type: 'text', text: 'hi' }]);
		expect(structuredContent).toEqual({ text: 'hi', n: 1 });
	});

	it('gives an error with message, code and hint, and the last words of a crash', async () => {
		const failed = await answerOf(`event error '{"message":"no","code":"X","recoverable":true}'; exit 1`);
		expect(failed).toEqual({
			content: [{ type: 'text', text: 'no [X]\nHint: Check your configuration or input.' }],
			isError: true,
		});
		const crashed = await answerOf('echo boom >&2; exit 7');
		expect(crashed.content[0]).toMatchObject({ text: expect.stringMatching(/code 7 \[TOOL_CRASH\].*boom/s) });
	});

	it('links artifacts', async () => {
		const { content } = await answerOf(
			`event artifact '{"path":"out/a b.csv","mimeType":"text/csv"}'; event artifact '{"nothing":1}'; event result '{}'`,
		);
		expect(content.slice(1)).toEqual([
			{ type: 'resource_link', uri: 'file:///work/out/a%20b.csv', name: 'a b.csv', mimeType: 'text/csv' },
		]);
	});

	it('says that there was no result', async () => {
		expect((await answerOf(`event started '{}'`)).content[0]).toMatchObject({
			text: 'sh-tool ended without a result',
		});
	});
});

describe('notifications of a run', () => {
	it('are progress for progress and log events', () => {
		expect(mcpProgressOf(event('progress', { progress: 1, total: 2, message: 'x' }))).toEqual({
			progress: 1,
			total: 2,
			message: 'x',
		});
		expect(mcpProgressOf(event('log', { level: 'info', message: 'x' }))).toEqual({
			progress: 0,
			message: 'x',
		});
		expect(mcpProgressOf(event('progress', { progress: 'half' }))).toBeUndefined();
		expect(mcpProgressOf(event('result', {}))).toBeUndefined();
	});

	it('are log messages in the levels of MCP', () => {
		expect(mcpLogOf(event('log', { level: 'warn', message: 'x', data: { a: 1 } }))).toEqual({
			level: 'warning',
			logger: 't',
			data: { message: 'x', data: { a: 1 } },
		});
		expect(mcpLogOf(event('log', { level: 'constructor', message: 'x' }))).toMatchObject({ level: 'info' });
		expect(mcpLogOf(event('log', { level: 'odd', message: 'x' }))).toMatchObject({
			level: 'info',
			data: 'x',
		});
		expect(mcpLogOf(event('result', {}))).toBeUndefined();
	});
});

async function answerOf(script: string): Promise<ReturnType<typeof mcpResultOf>> {
	return mcpResultOf((await runToEnd(shellTool(script))).summary, '/work');
}

function event(type: string, payload: JsonObject): ToolEvent {
	return { type, ts: '', toolId: 't', payload, raw: Buffer.alloc(0), isSynthetic: false };
}
