import { describe, expect, it } from 'vitest';
import { Hub } from '../../src/hub/hub.ts';
import { OneSource } from '../../src/hub/one-source.ts';
import type { Can, Source } from '../../src/hub/source.ts';
import { declaredCapabilities, targetName } from '../../src/mcp/server/methods.ts';
import type { Change } from '../../src/mcp/server/provider.ts';
import type { Tool } from '../../src/protocol/mcp-types.ts';
import { RawClient } from '../support/raw-client.ts';
import { until } from '../support/waiting.ts';

describe('a view of one source', () => {
	it('has only the items of that source, sorted, under its own names', async () => {
		const view = new OneSource(
			new Hub({ sources: [fakeSource('one', ['b', 'a']), fakeSource('two', ['c'])] }),
			'one',
		);
		const client = await RawClient.legacy(view);
		const listed = await client.request('tools/list');
		expect(listed['result'].tools.map(({ name }: Tool) => name)).toEqual(['a', 'b']);
		expect(await client.request('tools/call', { name: 'a' })).toMatchObject({
			result: { content: [{ text: 'one a' }] },
		});
		expect(await client.request('tools/call', { name: 'c' })).toMatchObject({ error: { code: -32602 } });
		expect(await client.request('tools/call', { name: 'one__a' })).toMatchObject({ error: { code: -32602 } });
		expect(await client.request('resources/read', { uri: 'a://b' })).toMatchObject({
			error: { code: -32602 },
		});
		await client.end();
	});

	it('declares what the source has', async () => {
		const hub = new Hub({ sources: [fakeSource('one', [])] });
		const declared = declaredCapabilities(new OneSource(hub, 'one'), 'legacy');
		expect(declared).toEqual({ tools: { listChanged: true }, logging: {} });
	});

	it('reports changes of its own source, and not of others', async () => {
		const [one, two] = [fakeSource('one', ['a']), fakeSource('two', ['b'])];
		const hub = new Hub({ sources: [one, two] });
		const view = new OneSource(hub, 'one');
		const seen: Change[] = [];
		view.watch((change) => seen.push(change));
		await hub.list('tools');
		await view.list('tools');
		two.replace(['b', 'c']);
		one.replace(['a', 'd']);
		await until('its change is reported', () => seen.length > 0);
		expect(seen).toEqual([{ kind: 'tools' }]);
	});

	it('uses the source that a new configuration has, and fails when it has none', async () => {
		const hub = new Hub({ sources: [fakeSource('one', ['a'])] });
		const view = new OneSource(hub, 'one');
		await hub.replaceSources([fakeSource('one', ['z'])]);
		expect((await view.list('tools')).map(({ name }) => name)).toEqual(['z']);
		await hub.replaceSources([]);
		expect(view.exists).toBe(false);
		expect(() => view.list('tools')).toThrow('the configuration no longer has one');
	});
});

interface FakeSource extends Source, Can<'qualifiesNames'> {
	replace(names: readonly string[]): void;
}

function fakeSource(id: string, names: readonly string[]): FakeSource {
	const toolOf = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
	const listeners = new Set<(change: Change) => void>();
	let tools = names.map(toolOf);
	return {
		id,
		kind: 'mcp',
		qualifiesNames: true,
		status: { state: 'ready' },
		capabilities: ['tools'],
		list: () => tools,
		request: (call) => ({ content: [{ type: 'text', text: `${id} ${targetName(call)}` }] }),
		watch(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		replace(others) {
			tools = others.map(toolOf);
			for (const listener of listeners) listener({ kind: 'tools' });
		},
		close: async () => {},
	};
}
