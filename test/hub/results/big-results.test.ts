/* Large results as an agent sees them: the official SDK client, `mctl serve`, a tool that prints much. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { BigResults, PREVIEW_CHARACTERS } from '../../../src/hub/results/big-results.ts';
import { Log } from '../../../src/log.ts';
import { CallContext } from '../../../src/mcp/server/call-context.ts';
import {
	answerValue,
	type CallToolResult,
	type ReadResourceResult,
	type Tool,
} from '../../../src/protocol/mcp-types.ts';
import { negotiate } from '../../../src/protocol/revisions.ts';
import { IncomingCall } from '../../../src/rpc/incoming-call.ts';
import { OrchestraClientTransport } from '../../../src/transport/sdk/client-transport.ts';
import { mctl } from '../../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const main = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	await Promise.all(closers.splice(0).map((close) => close()));
});

describe('a result above the limit', () => {
	it('reaches an agent as its beginning and a link that it can page and search', async () => {
		const { client, state } = await served();
		const { content } = (await client.callTool({ name: 'much', arguments: {} })) as CallToolResult;
		const [preview, link] = content;
		if (preview?.type !== 'text' || link?.type !== 'resource_link')
			throw new Error('expected text and a link');
		expect(preview.text.startsWith('line 1 \nline 2')).toBe(true);
		expect(preview.text.length).toBeLessThan(PREVIEW_CHARACTERS + 500);
		expect(preview.text).toContain(`${link.uri}?grep=`);
		const page = await client.readResource({ uri: `${link.uri}?offset=8&length=6` });
		expect(page.contents).toMatchObject([{ text: 'line 2' }]);
		const found = await client.readResource({ uri: `${link.uri}?grep=needle` });
		expect(found.contents).toMatchObject([{ text: expect.stringMatching(/^\d+: the needle/) }]);
		await client.close();
		const results = join(state, 'orchestra', 'results');
		expect(existsSync(results) ? readdirSync(results) : []).toEqual([]);
	});

	it('is printed whole by mctl', async () => {
		const { folder, state } = workspace();
		const { stdout } = await mctl(['run', 'much'], { cwd: folder, env: { XDG_STATE_HOME: state } });
		expect(stdout).toContain('line 200000');
	});

	it('keeps structured content that an output schema describes', async () => {
		const result = { content: [], structuredContent: { text: 'x'.repeat(100_000) } };
		const shortened = await results().shorten(result, tool({ outputSchema: { type: 'object' } }), context());
		expect(answerValue(shortened)['structuredContent']).toBe(result.structuredContent);
	});

	it('keeps other structured content on disk, once', async () => {
		const structuredContent = { text: 'x'.repeat(100_000) };
		const text = JSON.stringify(structuredContent);
		const repeated: CallToolResult = { content: [{ type: 'text', text }], structuredContent };
		const shortened = await results().shorten(repeated, tool(), context());
		expect(shortened).not.toHaveProperty('structuredContent');
		expect(shortened).toMatchObject({ content: [{ type: 'text' }, { type: 'resource_link' }] });
		const alone = await results().shorten({ content: [], structuredContent }, tool(), context());
		expect(alone).toMatchObject({ content: [{ type: 'text' }, { mimeType: 'application/json' }] });
	});

	it('keeps an image as bytes', async () => {
		const data = Buffer.alloc(100_000, 7).toString('base64');
		const kept = results();
		const image: CallToolResult = { content: [{ type: 'image', data, mimeType: 'image/png' }] };
		const { content } = (await kept.shorten(image, tool(), context())) as CallToolResult;
		const [link] = content;
		expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png', size: 100_000 });
		const uri = link?.type === 'resource_link' ? link.uri : '';
		const page = await readFrom(kept, `${uri}?offset=99999&length=10`);
		expect(page.contents).toMatchObject([{ blob: Buffer.from([7]).toString('base64') }]);
	});

	it('becomes one document when it has very many small blocks', async () => {
		const content = Array.from({ length: 5000 }, () => ({ type: 'text' as const, text: 'small' }));
		const shortened = await results().shorten({ content }, tool(), context());
		expect(shortened).toMatchObject({ content: [{ type: 'text' }, { mimeType: 'application/json' }] });
	});

	it('is sent whole when it cannot be kept on disk', async () => {
		const environment = { XDG_STATE_HOME: '/dev/null' };
		const result: CallToolResult = { content: [{ type: 'text', text: 'x'.repeat(100_000) }] };
		expect(await results(environment).shorten(result, tool(), context())).toBe(result);
	});

	it('is not found after its session ended', async () => {
		const kept = results();
		const result: CallToolResult = { content: [{ type: 'text', text: 'x'.repeat(100_000) }] };
		const { content } = (await kept.shorten(result, tool(), context())) as CallToolResult;
		const uri = content[1]?.type === 'resource_link' ? content[1].uri : '';
		await expect(readFrom(kept, uri)).resolves.toBeDefined();
		kept.endSession('session');
		await expect(readFrom(kept, uri)).rejects.toThrow(uri);
	});
});

function results(environment: NodeJS.ProcessEnv = { XDG_STATE_HOME: temporaryFolder() }): BigResults {
	const made = new BigResults({ environment, log: Log.silent, limitBytes: () => 20_000 });
	closers.push(() => made.close());
	return made;
}

function tool(more: Partial<Tool> = {}): Tool {
	return { name: 'much', inputSchema: { type: 'object' }, ...more };
}

function context(): CallContext {
	const client = {
		revision: negotiate(undefined),
		capabilities: {},
		clientInfo: { name: 'agent' },
		sessionId: 'session',
		logLevel: () => undefined,
		notify: () => {},
	};
	return new CallContext(client, new IncomingCall('1', 'tools/call', {}), {});
}

function workspace(): { folder: string; state: string } {
	const script = `#!/bin/sh
# mctl: {"manifestVersion":1,"id":"much","version":"1.0.0","name":"Much","description":"Prints much"}
cat >/dev/null
echo '{"type":"started","ts":"2025-02-25T10:00:00.000Z","toolId":"much","payload":{}}'
awk 'BEGIN { printf "{\\"type\\":\\"result\\",\\"ts\\":\\"2025-02-25T10:00:00.000Z\\",\\"toolId\\":\\"much\\",\\"payload\\":{\\"text\\":\\""; for (i = 1; i <= 200000; i++) printf "line %d \\\\n", i; print "the needle\\"}}" }'
`;
	const folder = writeFiles(temporaryFolder(), {
		'tools/much.sh': script,
		'orchestra.json': '{"tools":{"roots":["./tools"]}}',
	});
	return { folder, state: temporaryFolder() };
}

async function served(): Promise<{ client: Client; state: string }> {
	const { folder, state } = workspace();
	const client = new Client({ name: 'agent', version: '1' });
	const env = { XDG_STATE_HOME: state };
	await client.connect(
		new OrchestraClientTransport({ command: process.execPath, args: [main, 'serve'], cwd: folder, env }),
	);
	closers.push(() => client.close());
	return { client, state };
}

/** No client is needed to read one. */
function readFrom(kept: BigResults, uri: string): Promise<ReadResourceResult> {
	return kept.request({ method: 'resources/read', params: { uri }, context: context() });
}
