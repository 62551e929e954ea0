/* The headers of tools in long and hostile lists. The usual lists are in the tests of whole servers. */
import { describe, expect, it } from 'vitest';
import { Log } from '../../../src/log.ts';
import { LIST_CHARACTERS_LIMIT, LIST_STEP_CHARACTERS } from '../../../src/protocol/protocol-limits.ts';
import { ToolHeaders } from '../../../src/transport/http/tool-headers.ts';

const declared = { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
const invalid = { properties: { region: { type: 'object', 'x-mcp-header': 'Region' } } };

describe('the headers of tools', () => {
	it.each([10, LIST_STEP_CHARACTERS])(
		'are learnt from a list of %i characters, and invalid tools hidden',
		async (length) => {
			const headers = new ToolHeaders(Log.silent);
			const text = await headers.learn('1', listOf(length, declared, invalid));
			expect(JSON.parse(text).result.tools.map(({ name }: { name: string }) => name)).toEqual([
				'pad',
				'tool0',
			]);
			expect(headers.of('tool0')).toEqual([{ header: 'region', path: ['region'] }]);
		},
	);

	it('are read in a later turn of the event loop when the list is long', () => {
		expect(new ToolHeaders(Log.silent).learn('1', listOf(LIST_STEP_CHARACTERS, declared))).toBeInstanceOf(
			Promise,
		);
	});

	it('are not looked for in a list that is refused unread', async () => {
		const headers = new ToolHeaders(Log.silent);
		const text = listOf(LIST_CHARACTERS_LIMIT, declared, invalid);
		expect(headers.learn('1', text)).toBe(text);
		expect(headers.of('tool0')).toEqual([]);
	});

	it('of a schema that is nested without end hide the tool', async () => {
		const nested = `{"x-mcp-header":1,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
		const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"deep","inputSchema":${nested}}]}}`;
		expect(JSON.parse(await new ToolHeaders(Log.silent).learn('1', text)).result.tools).toEqual([]);
	});
});

function listOf(length: number, ...schemas: object[]): string {
	const tools = schemas.map((inputSchema, at) => ({ name: `tool${at}`, inputSchema }));
	const pad = { name: 'pad', description: 'x'.repeat(length) };
	return JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [pad, ...tools] } });
}

describe('a text that is no list of tools', () => {
	const key = '"x-mcp-header"';

	it.each([
		['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no x-mcp-header"}}'],
		['another result', `{"jsonrpc":"2.0","id":1,"result":{"tools":{${key}:1}}}`],
		['a long other result', `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(300_000)}",${key}:1}}`],
		['items that are no tools', `{"jsonrpc":"2.0","id":1,"result":{"tools":[7,null,{"name":8,${key}:"a"}]}}`],
	])('such as %s is delivered as it is', async (_, text) => {
		const headers = new ToolHeaders(Log.silent);
		expect(await headers.learn('1', text)).toBe(text);
		expect(headers.of('any')).toEqual([]);
	});
});
