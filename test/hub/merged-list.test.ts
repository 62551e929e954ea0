import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeByName, mergeByUri } from '../../src/hub/catalogue/merged-list.ts';
import { qualifiesNames, type Source } from '../../src/hub/source.ts';
import { ServerNames, shortened, toolPrefix } from '../../src/trust/tool-name.ts';
import { TOOL_NAME_CHARACTERS } from '../../src/trust/trust-limits.ts';
import { fakeSource } from '../support/fake-source.ts';

describe('mergeByName', () => {
	it('calls a tool of an MCP server server__tool, always, and keeps the names of others', () => {
		const { items, routes } = merge([
			[source('files', true), ['read']],
			[source('tools'), ['word-count']],
		]);
		expect(items.map(({ name }) => name)).toEqual(['files__read', 'word-count']);
		expect(routes.get('files__read')).toMatchObject({ name: 'read' });
	});

	it('keeps the first of a collision and qualifies the other, with a warning that names both', () => {
		const { items, warnings } = merge([
			[source('tools'), ['report']],
			[source('tools.features'), ['report']],
		]);
		expect(items.map(({ name }) => name)).toEqual(['report', 'tools.features__report']);
		expect(warnings).toEqual([
			'"report" is listed by tools and by tools.features; the second is called "tools.features__report"',
		]);
	});

	it('gives the same sorted list for the same configuration', () => {
		const lists: [Source, string[]][] = [
			[source('b', true), ['z', 'a']],
			[source('a', true), ['m']],
		];
		expect(merge(lists).items).toEqual(merge(lists).items);
		expect(merge(lists).items.map(({ name }) => name)).toEqual(['a__m', 'b__a', 'b__z']);
	});

	it('replaces what agents refuse in the name of a tool of an MCP server, and keeps the whole in title and _meta', () => {
		const { items, routes } = merge([
			[{ ...source('odd', true), kind: 'mcp' }, ['with space', 'with\u0007space', '😀']],
		]);
		expect(items.map(({ name }) => name)).toEqual(items.map(() => expect.stringMatching(/^odd__[\w]+$/)));
		expect(new Set(items.map(({ name }) => name)).size).toBe(3);
		expect([...routes.values()].map(({ name }) => name)).toEqual(['with space', 'with\u0007space', '😀']);
		expect(items).toContainEqual(expect.objectContaining({ title: 'odd__😀' }));
	});

	it('shortens a long name the same way each time and keeps the whole in title and _meta', () => {
		const long = 'x'.repeat(80);
		const { items } = merge([[source('server', true), [long]]]);
		const full = `server__${long}`;
		expect(items[0]).toMatchObject({
			name: shortened(full),
			title: full,
			_meta: { 'orchestra/fullName': full },
		});
		expect(items[0]?.name.length).toBe(TOOL_NAME_CHARACTERS);
		expect(shortened(`${full}y`)).not.toBe(shortened(full));
	});

	it('lets no server take a name of another one, and the warning names who has another name now', () => {
		const { items, routes, warnings } = merge([
			[{ ...source('a', true), kind: 'mcp' }, ['b__c', 'plain']],
			[{ ...source('a__b', true), kind: 'mcp' }, ['c']],
			[source('plugin'), ['a__x', 'mine']],
		]);
		const [first = '', ...rest] = items.map(({ name }) => name);
		expect(first).toMatch(/^a__b_c_[\da-f]{8}$/);
		const c = `${toolPrefix('a__b')}c`;
		expect(rest).toEqual(['a__plain', c, 'mine', 'plugin__a__x']);
		expect([routes.get(first)?.name, routes.get(c)?.name]).toEqual(['b__c', 'c']);
		expect(warnings).toEqual([
			`"b__c" of a reads like a tool of a__b; it is called "${first}"`,
			'"a__x" of plugin reads like a tool of a; it is called "plugin__a__x"',
		]);
	});

	it('gives every tool a name of its own that is read as one of its server, whatever they are called', () => {
		const anyText = fc.oneof(
			fc.string({ unit: fc.constantFrom('a', 'b', '_', '__', ' '), minLength: 1, maxLength: 7 }),
			fc.string({ unit: fc.constantFrom('a', '_'), minLength: 40, maxLength: 80 }),
		);
		const anyServer = fc.record({
			id: anyText,
			isBare: fc.boolean(),
			tools: fc.uniqueArray(anyText, { maxLength: 6 }),
		});
		const anyServers = fc.uniqueArray(anyServer, { selector: ({ id }) => id, maxLength: 6 });
		const qualified = (id: string, ...tools: string[]) => ({ id, isBare: false, tools });
		const long = 'a'.repeat(53);
		const underscoresAtTheEnd = [
			[qualified('b_'), qualified('b', '_')],
			[qualified('b__a'), qualified('b', 'a__')],
			[qualified(`${long}_`), qualified(long, '_x'.repeat(9))],
		];
		fc.assert(
			fc.property(anyServers, (servers) => {
				const { routes } = merge(
					servers.map(({ id, isBare, tools }) => [{ ...source(id, !isBare), kind: 'mcp' }, tools]),
				);
				expect(routes.size).toBe(servers.reduce((sum, { tools }) => sum + tools.length, 0));
				const names = new ServerNames(servers.flatMap(({ id, isBare }) => (isBare ? [] : [id])));
				for (const [name, { source: owner }] of routes) {
					expect(name).toMatch(/^[\w.-]{1,64}$/);
					expect(names.find(name)?.server).toBe(qualifiesNames(owner) ? owner.id : undefined);
				}
			}),
			{ numRuns: 1000, examples: underscoresAtTheEnd.map((servers) => [servers]) },
		);
	});

	it('omits a tool that one source lists twice, and warns', () => {
		const { items, warnings } = merge([[source('tools'), ['a', 'a']]]);
		expect(items).toHaveLength(1);
		expect(warnings).toEqual(['tools lists "a" twice; the second is left out']);
	});
});

describe('mergeByUri', () => {
	it('gives an equal URI of a second MCP server a prefix, and both are routed', () => {
		const lists = ['a', 'b'].map((id) => ({
			source: { ...source(id), kind: 'mcp' as const },
			items: [{ uri: 'x://1', name: id }],
		}));
		const { items, routes } = mergeByUri(lists, 'uri', () => {});
		expect(items).toEqual([
			{ uri: 'orchestra+b:x://1', name: 'b' },
			{ uri: 'x://1', name: 'a' },
		]);
		expect(routes.get('orchestra+b:x://1')).toMatchObject({ name: 'x://1', source: { id: 'b' } });
	});

	it('leaves out an equal URI of a second source of another kind', () => {
		const warnings: string[] = [];
		const lists = [
			{ source: source('a'), items: [{ uri: 'x://2' }, { uri: 'x://1' }] },
			{ source: source('b'), items: [{ uri: 'x://1' }] },
		];
		const { items, routes } = mergeByUri(lists, 'uri', (text) => warnings.push(text));
		expect(items.map(({ uri }) => uri)).toEqual(['x://1', 'x://2']);
		expect(routes.get('x://1')?.source.id).toBe('a');
		expect(warnings).toEqual(['x://1 is listed by a and by b; the first is used']);
	});
});

function merge(lists: [Source, string[]][]): {
	items: { name: string }[];
	routes: ReadonlyMap<string, { name: string; source: Source }>;
	warnings: string[];
} {
	const warnings: string[] = [];
	const listed = lists.map(([from, names]) => ({ source: from, items: names.map((name) => ({ name })) }));
	const { items, routes } = mergeByName(listed, (text) => warnings.push(text));
	return { items: [...items], routes, warnings };
}

function source(id: string, isQualified = false): Source {
	return fakeSource(id, {}, { qualifiesNames: isQualified });
}
