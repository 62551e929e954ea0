/* Lists: sorted, in pages, passed through whole. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../src/mcp/define/definition.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { PAGE_ITEMS } from '../../src/mcp/mcp-limits.ts';
import { pageOf } from '../../src/mcp/server/paging.ts';
import { kitchenSink } from '../support/mcp-server.ts';
import { RawClient, type Wire } from '../support/raw-client.ts';

describe('lists', () => {
	it('are sorted, and each item comes with all that was said of it', async () => {
		const client = new RawClient(kitchenSink());
		const { tools } = (await client.modern('tools/list'))['result'];
		const names: string[] = tools.map(({ name }: { name: string }) => name);
		expect(names).toEqual([...names].sort());
		expect(tools[names.indexOf('echo')]).toEqual({
			name: 'echo',
			title: 'Echo',
			description: 'Gives back the text',
			icons: [{ src: 'data:image/png;base64,AAAA', mimeType: 'image/png', sizes: ['1x1'] }],
			annotations: { readOnlyHint: true },
			_meta: { 'example.com/kind': 'test' },
			inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
		});
		const { resourceTemplates } = (await client.modern('resources/templates/list'))['result'];
		expect(resourceTemplates).toEqual([
			{ uriTemplate: 'note://by-id/{id}', name: 'by id', mimeType: 'application/json' },
		]);
		await client.end();
	});

	it('show what was added to the definition after notifyChange', async () => {
		const tools: Record<string, ToolDefinition> = { b: { run: () => '' } };
		const provider = provide({ name: 'x', version: '1', websiteUrl: 'https://example.com', tools });
		const client = await RawClient.legacy(provider);
		const names = async (): Promise<string[]> =>
			(await client.request('tools/list'))['result'].tools.map(({ name }: { name: string }) => name);
		expect(await names()).toEqual(['b']);
		tools['a'] = { run: () => 'new' };
		provider.notifyChange({ kind: 'tools' });
		expect(await names()).toEqual(['a', 'b']);
		expect((await client.request('tools/call', { name: 'a' }))['result'].content[0].text).toBe('new');
		expect(provider.info).toEqual({ name: 'x', version: '1', websiteUrl: 'https://example.com' });
		await client.end();
	});

	it('give the same bytes each time', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const [one, two] = await Promise.all([client.request('tools/list'), client.request('tools/list')]);
		expect(JSON.stringify(one?.['result'])).toBe(JSON.stringify(two?.['result']));
		await client.end();
	});
});

describe('pages', () => {
	it.each(['legacy', 'modern'])('lead through a long list by opaque cursors: %s', async (era) => {
		const count = 2 * PAGE_ITEMS + 1;
		const tools = Object.fromEntries(
			Array.from({ length: count }, (_, index) => [`t${index}`, { run: () => '' }]),
		);
		const client = await RawClient.legacy(provide({ name: 'x', version: '1', tools }));
		const names: string[] = [];
		let pages = 0;
		for (let cursor: string | undefined, isLast = false; !isLast; pages++) {
			const params = cursor === undefined ? {} : { cursor };
			const answer: Wire = await (era === 'modern'
				? client.modern('tools/list', params)
				: client.request('tools/list', params));
			names.push(...answer['result'].tools.map(({ name }: { name: string }) => name));
			cursor = answer['result'].nextCursor;
			isLast = cursor === undefined;
			expect(cursor ?? '').not.toMatch(/t\d/);
		}
		expect(pages).toBe(3);
		expect(names).toEqual(Object.keys(tools).sort());
		await client.end();
	});

	it.each(['', 'x', 'bnVsbA', 'eyJhZnRlciI6NX0', 5, null])(
		'refuse the cursor %j with -32602',
		async (cursor) => {
			const client = new RawClient(kitchenSink());
			for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
				expect((await client.modern(method, { cursor }))['error'].code).toBe(-32602);
			await client.end();
		},
	);

	it('give every item once, whatever the list', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.string(), { maxLength: 30 }), (items) => {
				const list = [...items].sort();
				const found: string[] = [];
				let page = pageOf(list, undefined, (item) => item, 7);
				for (;;) {
					found.push(...page.items);
					if (page.nextCursor === undefined) break;
					page = pageOf(list, page.nextCursor, (item) => item, 7);
				}
				expect(found).toEqual(list);
			}),
		);
	});

	it('go on at the right place when the list changed in between', () => {
		const { nextCursor } = pageOf(['a', 'b', 'c', 'd'], undefined, (item) => item, 2);
		expect(pageOf(['a', 'c', 'cc', 'd'], nextCursor, (item) => item, 2).items).toEqual(['c', 'cc']);
	});

	it('never throw anything but bad_input, whatever the cursor', () => {
		fc.assert(
			fc.property(fc.anything(), (cursor) => {
				if (cursor === undefined) return;
				try {
					pageOf(['a', 'b'], cursor, (item) => item);
				} catch (error) {
					expect(error).toMatchObject({ code: 'bad_input' });
				}
			}),
		);
	});
});
