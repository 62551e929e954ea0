/* Results that are too long for a client, as the official SDK client sees them through `mctl serve`. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { HubCall } from '../../../src/hub/calls/hub-call.ts';
import { ClientBudgets } from '../../../src/hub/results/client-budgets.ts';
import { ResultSource } from '../../../src/hub/results/result-source.ts';
import { Log } from '../../../src/log.ts';
import { CallContext } from '../../../src/mcp/server/call-context.ts';
import type { CallToolResult, ContentBlock, Tool } from '../../../src/protocol/mcp-types.ts';
import { negotiate } from '../../../src/protocol/revisions.ts';
import { IncomingCall } from '../../../src/rpc/calls/incoming-call.ts';
import { OrchestraClientTransport } from '../../../src/transport/sdk/sdk-transport.ts';
import { encodeJson } from '../../../src/wire/json-text.ts';
import { mctl } from '../../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';
import { noResults } from './budget-settings.ts';

const main = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const BUDGET = 1000;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	await Promise.all(closers.splice(0).map((close) => close()));
});

describe('a long result', () => {
	it('reaches an agent as its first part and a handle, about which it asks `look`', async () => {
		const { client, state } = await served('claude-code');
		expect(client.getInstructions()).toContain('Ask look about that handle');
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual(['look', 'much']);
		const result = (await client.callTool({ name: 'much', arguments: {} })) as CallToolResult;
		const [shown, notice] = textsOf(result);
		expect(shown?.startsWith('line 1 \nline 2 \n')).toBe(true);
		expect(`${shown}${notice}`.length).toBeLessThanOrEqual(8000 * 4);
		expect(notice).toMatch(/^\[Shortened: [\d,]+ of 200,001 lines, about [\d,]+ of [\d,]+ tokens\./);
		const handle = String(result._meta?.['orchestra/handle']);
		expect(notice).toContain(`"handle":"${handle}"`);
		const ask = async (input: object): Promise<(string | undefined)[]> =>
			textsOf(resultOf(await client.callTool({ name: 'look', arguments: { handle, ...input } })));
		expect(await ask({ op: 'grep', pattern: 'NEEDLE' })).toEqual([
			'200001: the needle',
			'[1 matches in 200,001 lines]',
		]);
		expect(await ask({ op: 'tail', lines: 1 })).toEqual(['the needle', '[lines 200,001–200,001 of 200,001]']);
		const page = await client.readResource({ uri: `orchestra-result://${handle}?offset=8&length=6` });
		expect(page.contents).toMatchObject([{ text: 'line 2' }]);
		await client.close();
		const results = join(state, 'orchestra', 'results');
		expect(existsSync(results) ? readdirSync(results) : []).toEqual([]);
	});

	it('is explained to an agent by the bridge too, when that answers before the hub', async () => {
		const explained = async (name: string): Promise<boolean> => {
			const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } };
			const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
			const env = { XDG_STATE_HOME: '/dev/null' };
			return (await mctl(['bridge'], { input, env, cwd: temporaryFolder() })).stdout.includes(
				'Ask look about',
			);
		};
		expect(await Promise.all([explained('codex-mcp-client'), explained('some program')])).toEqual([
			true,
			false,
		]);
	});

	it('above the limit in bytes reaches any other client as its first part and a link', async () => {
		const { client } = await served('some program');
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual(['much']);
		const { content } = (await client.callTool({ name: 'much', arguments: {} })) as CallToolResult;
		const link = content.at(-1);
		const uri = link?.type === 'resource_link' ? link.uri : '';
		const found = await client.readResource({ uri: `${uri}?grep=needle` });
		expect(found.contents).toMatchObject([{ text: expect.stringMatching(/^\d+: the needle/) }]);
	});

	it('is printed whole by mctl', async () => {
		const { folder, state } = workspace();
		const { stdout } = await mctl(['run', 'much'], { cwd: folder, env: { XDG_STATE_HOME: state } });
		expect(stdout).toContain('line 200000');
	});

	it('goes whole to a request that asks for more tokens', async () => {
		const result = textResult('x'.repeat(40_000));
		const call = callOf({ 'orchestra/budgetTokens': 20_000 });
		expect(await source().answers.shorten(result, call)).toBe(result);
		expect(
			textsOf(await shortened(result, callOf({ 'orchestra/budgetTokens': 500 }))).join('').length,
		).toBeLessThan(2000);
	});

	it('shortens structured content that an output schema describes, with the notice in it, where the schema allows that', async () => {
		const items = Array.from({ length: 500 }, (_, id) => ({ id, name: `item ${id}` }));
		const result = { ...textResult(JSON.stringify({ items })), structuredContent: { items } };
		const list = { type: 'array', items: { type: 'object' } };
		const closed = { type: 'object', properties: { items: list }, additionalProperties: false };
		for (const outputSchema of [{ type: 'object' }, closed]) {
			const short = await shortened(result, callOf({}, { outputSchema }));
			const { structuredContent } = JSON.parse(encodeJson(short)) as {
				structuredContent: typeof result.structuredContent;
			};
			const shown = structuredContent.items.length;
			expect(structuredContent).toEqual({
				items: items.slice(0, shown),
				'orchestra/notice': expect.stringContaining(`${shown} of 500 items of items`),
			});
			expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(BUDGET * 4 * 1.02);
		}
		expect(await shortened(result, callOf())).not.toHaveProperty('structuredContent');
	});

	it('leaves structured content whole whose schema does not allow a part, or that a page reads, or for a program', async () => {
		const structuredContent = { items: Array.from({ length: 500 }, (_, id) => ({ id, name: `item ${id}` })) };
		const result = { ...textResult(JSON.stringify(structuredContent)), structuredContent };
		const outputSchema = { type: 'object', properties: { items: { type: 'array', minItems: 500 } } };
		const strict = await shortened(result, callOf({}, { outputSchema }));
		expect(strict.structuredContent).toBe(structuredContent);
		const { items } = JSON.parse(textsOf(strict)[0] ?? '') as typeof structuredContent;
		expect(items).toEqual(structuredContent.items.slice(0, items.length));
		const page = { outputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://a/b' } } };
		expect((await shortened(result, callOf({}, page))).structuredContent).toBe(structuredContent);
		const onlyStructure = { content: [], structuredContent };
		expect(await shortened(onlyStructure, callOf({}, { outputSchema }))).toBe(onlyStructure);
	});

	it('is listed with an output schema that allows the notice', () => {
		const closed = { type: 'object', properties: { a: {} }, additionalProperties: false };
		const tools = [{ outputSchema: closed }, { outputSchema: { type: 'object' } }, {}].map((tool, at) => ({
			name: `t${at}`,
			inputSchema: {},
			...tool,
		}));
		const { items } = source().withLook({ items: tools, routes: new Map() });
		expect(items).toEqual([
			expect.objectContaining({ name: 'look' }),
			{
				...tools[0],
				outputSchema: { ...closed, properties: { a: {}, 'orchestra/notice': { type: 'string' } } },
			},
			...tools.slice(1),
		]);
	});

	it('shortens a member of structured content that repeats the text, where its schema allows it', async () => {
		const text = '"a" "line"\tof text\n'.repeat(1000);
		const result = { ...textResult(text), structuredContent: { content: text } };
		const property = { type: 'string' };
		const free = callOf({}, { outputSchema: { type: 'object', properties: { content: property } } });
		const short = await shortened(result, free);
		expect(short.structuredContent).toEqual({ content: textsOf(short).join('\n') });
		expect(JSON.stringify(short.structuredContent).length).toBeLessThanOrEqual(BUDGET * 4 * 1.02);
		const strict = { type: 'object', properties: { content: { ...property, minLength: 15_000 } } };
		expect((await shortened(result, callOf({}, { outputSchema: strict }))).structuredContent).toBe(
			result.structuredContent,
		);
	});

	it('is an error that says why when its structured content is above the limit in bytes', async () => {
		const structuredContent = { text: 'x'.repeat(2_000_000) };
		const result = { content: [], structuredContent };
		const property = { type: 'string', minLength: 2_000_000 };
		const outputSchema = { type: 'object', properties: { text: property } };
		const short = await shortened(result, callOf({}, { outputSchema }));
		expect(short.isError).toBe(true);
		expect(textsOf(short)[0]).toContain('clients get at most 1048576 (limits.resultBytes)');
	});

	it('leaves the data of an app, and images below the limit in bytes', async () => {
		const image: ContentBlock = { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' };
		const structuredContent = { rows: 'y'.repeat(9000) };
		const result: CallToolResult = { content: [image], structuredContent };
		const app = callOf({}, { _meta: { ui: { resourceUri: 'ui://a/b' } } });
		expect(await source().answers.shorten(result, app)).toBe(result);
		const large: ContentBlock = { ...image, data: Buffer.alloc(1_500_000, 7).toString('base64') };
		const { content } = await shortened({ content: [large] }, callOf());
		expect(content).toMatchObject([{ type: 'resource_link', mimeType: 'image/png', size: 1_500_000 }]);
	});

	it('leaves HTML that fits, whatever becomes a link beside it', async () => {
		const text = 'p'.repeat(200_000);
		const page: ContentBlock = {
			type: 'resource',
			resource: { uri: 'ui://a/b', mimeType: 'text/html', text },
		};
		const data = Buffer.alloc(1_500_000, 7).toString('base64');
		const image: ContentBlock = { type: 'image', data, mimeType: 'image/png' };
		const { content } = await shortened({ content: [page, image] }, callOf());
		expect(content).toMatchObject([page, { type: 'resource_link', mimeType: 'image/png' }]);
	});

	it('is sent whole when it cannot be stored on disk', async () => {
		const result = textResult('x'.repeat(100_000));
		const none = source({ XDG_STATE_HOME: '/dev/null' });
		expect(await none.answers.shorten(result, callOf())).toBe(result);
	});

	it('is not found after its session ended', async () => {
		const stored = source();
		const short = (await stored.answers.shorten(textResult('x'.repeat(100_000)), callOf())) as CallToolResult;
		const handle = String(short._meta?.['orchestra/handle']);
		expect(await stored.find(handle, callOf().context)).toBeDefined();
		stored.endSession('session');
		await expect.poll(() => stored.find(handle, callOf().context)).toBeUndefined();
	});
});

function source(environment: NodeJS.ProcessEnv = { XDG_STATE_HOME: temporaryFolder() }): ResultSource {
	const clients = {
		agent: { view: undefined, expose: undefined, results: { ...noResults, budgetTokens: BUDGET } },
	};
	const settings = { results: { ...noResults, tools: {} }, clients, mcpServers: [], limits: {} };
	const budgets = new ClientBudgets(() => settings);
	const made = new ResultSource({ environment, log: Log.silent, budgets });
	closers.push(() => made.close());
	return made;
}

async function shortened(result: CallToolResult, call: HubCall): Promise<CallToolResult> {
	return (await source().answers.shorten(result, call)) as CallToolResult;
}

/** The types of the SDK allow `undefined` where ours do not. */
function resultOf(result: object): CallToolResult {
	return result as CallToolResult;
}

function textResult(text: string): CallToolResult {
	return { content: [{ type: 'text', text }] };
}

function textsOf({ content }: CallToolResult): string[] {
	return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function callOf(meta: Record<string, unknown> = {}, tool: Partial<Tool> = {}): HubCall {
	const client = {
		revision: negotiate(undefined),
		capabilities: {},
		clientInfo: { name: 'agent' },
		sessionId: 'session',
		logLevel: () => undefined,
		notify: () => {},
	};
	const context = new CallContext(client, new IncomingCall('1', 'tools/call', {}), meta);
	const call = new HubCall({ method: 'tools/call', params: { name: 'much', arguments: {} }, context });
	const item = { name: 'much', inputSchema: { type: 'object' }, ...tool };
	call.target = { source: source(), name: 'much', item };
	return call;
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

async function served(name: string): Promise<{ client: Client; state: string }> {
	const { folder, state } = workspace();
	const client = new Client({ name, version: '1' });
	const env = { XDG_STATE_HOME: state };
	await client.connect(
		new OrchestraClientTransport({ command: process.execPath, args: [main, 'serve'], cwd: folder, env }),
	);
	closers.push(() => client.close());
	return { client, state };
}
