import { describe, expect, it } from 'vitest';
import type { ToolEvent } from '../../src/tool/event.ts';
import { mcpLogOf, mcpProgressOf, mcpResultOf } from '../../src/tool/mcp-result.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { encodeResult } from '../../src/wire/json-rpc.ts';
import { runToEnd, shellTool } from '../support/tool-folder.ts';

describe('mcpResultOf', () => {
	it('returns the result as JSON text, and as structured content only when the tool declares its output', async () => {
		const content = [{ type: 'text', text: '{"n":1}' }];
		expect(await answerOf(`event result '{"n":1}'`)).toEqual({ content });
		const declared = await answerOf(`event result '{"n":1}'`, { outputSchema: { type: 'object' } });
		expect(declared).toEqual({ content, structuredContent: { n: 1 } });
	});

	it('keeps all digits of the numbers in the result', async () => {
		const digits = '{"id":12345678901234567890}';
		const answer = await answerOf(`event result '${digits}'`, { outputSchema: { type: 'object' } });
		expect(answer.content).toEqual([{ type: 'text', text: digits }]);
		expect(encodeResult('1', answer)).toContain(`"structuredContent":${digits}}`);
	});

	it('shows the text of a result that has one', async () => {
		const answer = await answerOf(`event result '{"text":"hi","n":1}'`);
		expect(answer).toEqual({ content: [{ type: 'text', text: 'hi' }] });
	});

	it('returns an error with message, code and hint, and the last stderr lines of a crash', async () => {
		const failed = await answerOf(`event error '{"message":"no","code":"X","recoverable":true}'; exit 1`);
		expect(failed).toEqual({
			content: [{ type: 'text', text: 'no [X]\nHint: Check your configuration or input.' }],
			isError: true,
		});
		const crashed = await answerOf('echo boom >&2; exit 7');
		expect(crashed.content[0]).toMatchObject({ text: expect.stringMatching(/code 7 \[TOOL_CRASH\].*boom/s) });
	});

	it('links artifacts, and names them in the text for agents that drop links', async () => {
		const { content } = await answerOf(
			`event artifact '{"path":"out/a b.csv","mimeType":"text/csv"}'; event artifact '{"nothing":1}'; event result '{"text":"made"}'`,
		);
		expect(content[0]).toEqual({ type: 'text', text: 'made\n\nFiles:\n- /work/out/a b.csv' });
		expect(content.slice(1)).toEqual([
			{ type: 'resource_link', uri: 'file:///work/out/a%20b.csv', name: 'a b.csv', mimeType: 'text/csv' },
		]);
	});

	it('reports a missing result', async () => {
		expect(await answerOf(`event started '{}'`)).toMatchObject({
			content: [{ text: expect.stringContaining('sent no result [TOOL_NO_RESULT]') }],
			isError: true,
		});
	});

	it('fails when a tool that declares its output sends no result', async () => {
		const answer = await answerOf(`event started '{}'`, { outputSchema: { type: 'object' } });
		expect(answer).toMatchObject({ isError: true });
	});
});

describe('notifications of a run', () => {
	it('are progress only for progress events', () => {
		expect(mcpProgressOf(event('progress', { progress: 1, total: 2, message: 'x' }))).toEqual({
			progress: 1,
			total: 2,
			message: 'x',
		});
		expect(mcpProgressOf(event('log', { level: 'info', message: 'x', progress: 1 }))).toBeUndefined();
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

async function answerOf(
	script: string,
	changes: { outputSchema?: JsonObject } = {},
): Promise<ReturnType<typeof mcpResultOf>> {
	const tool = shellTool(script, changes);
	return mcpResultOf((await runToEnd(tool)).summary, '/work', tool);
}

function event(type: string, payload: JsonObject): ToolEvent {
	return { type, ts: '', toolId: 't', payload, raw: Buffer.alloc(0), isSynthetic: false };
}
