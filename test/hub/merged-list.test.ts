import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/hub/backends/backend.ts';
import { mergeByName, mergeByUri } from '../../src/hub/merged-list.ts';
import { NAME_CHARACTERS, shortened } from '../../src/hub/names.ts';

describe('mergeByName', () => {
	it('calls a tool of an MCP server server__tool, always, and keeps the names of others', () => {
		const { items, routes } = merge([
			[backend('files', true), ['read']],
			[backend('tools'), ['word-count']],
		]);
		expect(items.map(({ name }) => name)).toEqual(['files__read', 'word-count']);
		expect(routes.get('files__read')).toMatchObject({ name: 'read' });
	});

	it('keeps the first of a collision and qualifies the other, with a warning that names both', () => {
		const { items, warnings } = merge([
			[backend('tools'), ['report']],
			[backend('tools.features'), ['report']],
		]);
		expect(items.map(({ name }) => name)).toEqual(['report', 'tools.features__report']);
		expect(warnings).toEqual([
			'"report" is offered by tools and by tools.features; the second is called "tools.features__report"',
		]);
	});

	it('gives the same sorted list for the same configuration', () => {
		const offers: [Backend, string[]][] = [
			[backend('b', true), ['z', 'a']],
			[backend('a', true), ['m']],
		];
		expect(merge(offers).items).toEqual(merge(offers).items);
		expect(merge(offers).items.map(({ name }) => name)).toEqual(['a__m', 'b__a', 'b__z']);
	});

	it('replaces what agents refuse in the name of a tool of an MCP server, and keeps the whole in title and _meta', () => {
		const { items, routes } = merge([
			[{ ...backend('odd', true), kind: 'mcp' }, ['with space', 'with\u0007space', '😀']],
		]);
		expect(items.map(({ name }) => name)).toEqual(items.map(() => expect.stringMatching(/^odd__[\w]+$/)));
		expect(new Set(items.map(({ name }) => name)).size).toBe(3);
		expect([...routes.values()].map(({ name }) => name)).toEqual(['with space', 'with\u0007space', '😀']);
		expect(items).toContainEqual(expect.objectContaining({ title: 'odd__😀' }));
	});

	it('shortens a long name the same way each time and keeps the whole in title and _meta', () => {
		const long = 'x'.repeat(80);
		const { items } = merge([[backend('server', true), [long]]]);
		const full = `server__${long}`;
		expect(items[0]).toMatchObject({
			name: shortened(full),
			title: full,
			_meta: { 'orchestra/fullName': full },
		});
		expect(items[0]?.name.length).toBe(NAME_CHARACTERS);
		expect(shortened(`${full}y`)).not.toBe(shortened(full));
	});

	it('omits a tool that one backend offers twice, and warns', () => {
		const { items, warnings } = merge([[backend('tools'), ['a', 'a']]]);
		expect(items).toHaveLength(1);
		expect(warnings).toEqual(['tools offers "a" twice; the second is left out']);
	});
});

describe('mergeByUri', () => {
	it('gives an equal URI of a second MCP server a prefix, and both are routed', () => {
		const offers = ['a', 'b'].map((id) => ({
			backend: { ...backend(id), kind: 'mcp' as const },
			items: [{ uri: 'x://1', name: id }],
		}));
		const { items, routes } = mergeByUri(offers, 'uri', () => {});
		expect(items).toEqual([
			{ uri: 'orchestra+b:x://1', name: 'b' },
			{ uri: 'x://1', name: 'a' },
		]);
		expect(routes.get('orchestra+b:x://1')).toMatchObject({ name: 'x://1', backend: { id: 'b' } });
	});

	it('leaves out an equal URI of a second backend of another kind', () => {
		const warnings: string[] = [];
		const offers = [
			{ backend: backend('a'), items: [{ uri: 'x://2' }, { uri: 'x://1' }] },
			{ backend: backend('b'), items: [{ uri: 'x://1' }] },
		];
		const { items, routes } = mergeByUri(offers, 'uri', (text) => warnings.push(text));
		expect(items.map(({ uri }) => uri)).toEqual(['x://1', 'x://2']);
		expect(routes.get('x://1')?.backend.id).toBe('a');
		expect(warnings).toEqual(['x://1 is offered by a and by b; the first is used']);
	});
});

function merge(offers: [Backend, string[]][]): {
	items: { name: string }[];
	routes: ReadonlyMap<string, { name: string }>;
	warnings: string[];
} {
	const warnings: string[] = [];
	const listed = offers.map(([from, names]) => ({ backend: from, items: names.map((name) => ({ name })) }));
	const { items, routes } = mergeByName(listed, (text) => warnings.push(text));
	return { items: [...items], routes, warnings };
}

function backend(id: string, qualifiesNames = false): Backend {
	return { id, kind: 'tools', qualifiesNames, state: 'known', close: () => Promise.resolve() };
}
