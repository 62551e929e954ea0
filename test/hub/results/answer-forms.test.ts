/* `_select`, unchanged results and tables, through a hub with a real server. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson } from '../../../src/hub/results/compact-json.ts';
import { allStored } from '../../../src/hub/results/result-store.ts';
import { type HubClient, serveServers } from '../../support/served-hub.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const filesystem = resolve(
	import.meta.dirname,
	'../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);
const items = Array.from({ length: 40 }, (_, id) => ({ id, name: `item ${id}`, isOpen: id % 2 === 0 }));

describe('compactJson', () => {
	it('makes a table of objects with the same keys, with the values as they were written', () => {
		const text = '[{"id": 1, "price": 1.50}, {"id": 2, "price": 2.0}, {"id": 3, "price": 3e2}]';
		expect(compactJson(text)).toBe('{"columns":["id","price"],"rows":[[1,1.50],[2,2.0],[3,3e2]]}');
		const inside = `{"total":3,"items":${text}}`;
		expect(compactJson(inside)).toBe(
			'{"total":3,"items":{"columns":["id","price"],"rows":[[1,1.50],[2,2.0],[3,3e2]]}}',
		);
	});

	it('leaves what is not uniform, not smaller, or not JSON', () => {
		for (const text of [
			'[{"a":1},{"b":2},{"a":3}]',
			'[1,2,3]',
			'[{"a":1},{"a":2}]',
			'text',
			'{"columns":["a"],"rows":[[1],[2],[3]]}',
			'{"columns":[],"rows":[{"a":1},{"a":2},{"a":3}]}',
		])
			expect(compactJson(text)).toBeUndefined();
	});

	it('never changes what is meant', () => {
		const record = fc.record({
			id: fc.nat(),
			columns: fc.jsonValue(),
			rows: fc.array(fc.nat(), { maxLength: 3 }),
		});
		fc.assert(
			fc.property(
				fc.array(record, { minLength: 3, maxLength: 9 }),
				fc.constantFrom(0, 2),
				(value, indent) => {
					const compact = compactJson(JSON.stringify(value, null, indent));
					const { columns, rows } = JSON.parse(compact ?? '{}') as { columns: string[]; rows: unknown[][] };
					const back = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
					expect(back).toEqual(JSON.parse(JSON.stringify(value)));
				},
			),
		);
	});
});

describe('the file system server', () => {
	it('applies `_select` before the answer, and stores the whole for `look`', async () => {
		const { client, file } = await served({ select: true }, {});
		const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
		const read = tools.find(({ name }) => name === 'files__read_text_file');
		expect(read).toMatchObject({ inputSchema: { properties: { _select: { type: 'string' } } } });
		expect(read).not.toHaveProperty('outputSchema');
		const input = { path: file, _select: '[?isOpen].name | [:2]' };
		const result = await client.request('tools/call', { name: 'files__read_text_file', arguments: input });
		expect(result).not.toHaveProperty('structuredContent');
		expect(result['content']).toMatchObject([
			{ text: '["item 0","item 2"]' },
			{ text: expect.stringContaining('2 results; the whole') },
		]);
		const handle = (result['_meta'] as Record<string, unknown>)['orchestra/handle'];
		expect(await client.call('look', { handle, op: 'count' })).toContain('40');
		const wrong = await client.call('files__read_text_file', { path: file, _select: '[' });
		expect(wrong).toMatch(/The tool ran, but select cannot be evaluated.*stored as r-/s);
	});

	it('answers a repeated call with the handle while the file is the same, for a client that asked for it', async () => {
		const results = { unchanged: true };
		const { client, file, environment } = await served({}, { clients: { test: { results } } });
		const read = (): Promise<string> => client.call('files__read_text_file', { path: file });
		const first = await read();
		expect(first).toBe(readFileSync(file, 'utf8'));
		const again = await read();
		expect(again).toMatch(/^Unchanged since .*Z\. It is stored as r-[\da-f]{24}: ask about it with look\.$/);
		const [handle] = /r-[\da-f]{24}/.exec(again) ?? [];
		expect(await client.call('look', { handle, op: 'select', select: '[39].id' })).toContain('39');
		const [stored] = await allStored(environment);
		rmSync(stored?.path ?? '');
		expect(await read()).toBe(first);
		writeFileSync(file, `${first} `);
		expect(await read()).toBe(`${first} `);
	});

	it('sends tables to a client that asked for them, and cuts what is too long as the server sent it', async () => {
		const { client, file } = await served({}, { results: { compact: true } });
		const call = { name: 'files__read_text_file', arguments: { path: file } };
		const { content, structuredContent } = await client.request('tools/call', call);
		const [{ text }] = content as [{ text: string }];
		expect(text.startsWith('{"columns":["id","name","isOpen"],"rows":[[0,"item 0",true],')).toBe(true);
		expect(structuredContent).toEqual({ content: text });
		const short = await client.request('tools/call', { ...call, _meta: { 'orchestra/budgetTokens': 200 } });
		const [first] = short['content'] as [{ text: string }];
		expect(JSON.stringify(items).startsWith(first.text.slice(0, -1))).toBe(true);
	});
});

async function served(
	entry: object,
	more: object,
): Promise<{ client: HubClient; file: string; environment: NodeJS.ProcessEnv }> {
	const folder = temporaryFolder();
	const file = join(folder, 'items.json');
	writeFileSync(file, JSON.stringify(items));
	const files = { command: process.execPath, args: [filesystem, folder], ...entry };
	const hub = await serveServers({ files }, { more });
	return { client: await hub.client(), file, environment: hub.environment };
}
