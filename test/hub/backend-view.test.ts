import { describe, expect, it } from 'vitest';
import { BackendView } from '../../src/hub/backend-view.ts';
import type { Backend } from '../../src/hub/backends/backend.ts';
import { Hub } from '../../src/hub/hub.ts';
import type { Change } from '../../src/mcp/server/provider.ts';
import type { Tool } from '../../src/protocol/mcp-types.ts';
import { RawClient } from '../support/raw-client.ts';
import { until } from '../support/waiting.ts';

describe('a view of one backend', () => {
	it('has only the items of that backend, sorted, under its own names', async () => {
		const view = new BackendView(
			new Hub({ backends: [fakeBackend('one', ['b', 'a']), fakeBackend('two', ['c'])] }),
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

	it('declares what the backend has', async () => {
		const hub = new Hub({ backends: [fakeBackend('one', [])] });
		expect(new BackendView(hub, 'one').capabilities()).toEqual({ tools: { listChanged: true }, logging: {} });
	});

	it('reports changes of its own backend, and not of others', async () => {
		const [one, two] = [fakeBackend('one', ['a']), fakeBackend('two', ['b'])];
		const hub = new Hub({ backends: [one, two] });
		const view = new BackendView(hub, 'one');
		const seen: Change[] = [];
		view.onChange((change) => seen.push(change));
		await hub.listTools();
		await view.listTools();
		two.replace(['b', 'c']);
		one.replace(['a', 'd']);
		await until('its change is reported', () => seen.length > 0);
		expect(seen).toEqual([{ kind: 'tools' }]);
	});

	it('uses the backend that a new configuration has, and fails when it has none', async () => {
		const hub = new Hub({ backends: [fakeBackend('one', ['a'])] });
		const view = new BackendView(hub, 'one');
		await hub.replaceBackends([fakeBackend('one', ['z'])]);
		expect((await view.listTools()).map(({ name }) => name)).toEqual(['z']);
		await hub.replaceBackends([]);
		expect(view.exists).toBe(false);
		expect(() => view.listTools()).toThrow('the configuration no longer has one');
	});
});

interface FakeBackend extends Backend {
	replace(names: readonly string[]): void;
}

function fakeBackend(id: string, names: readonly string[]): FakeBackend {
	const toolOf = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
	const listeners = new Set<(change: Change) => void>();
	let tools = names.map(toolOf);
	return {
		id,
		kind: 'mcp',
		qualifiesNames: true,
		state: 'running',
		listTools: () => tools,
		callTool: ({ name }) => ({ content: [{ type: 'text', text: `${id} ${name}` }] }),
		onChange(listener) {
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
