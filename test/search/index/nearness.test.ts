/* Similarities of a model of the user's choice: a good model counts, and a wrong one costs nothing. */
import { describe, expect, it } from 'vitest';
import { ownSet } from '../../../eval/tools/run.mjs';
import { ToolIndex } from '../../../src/hub/expose/tool-index.ts';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import type { Embeddings } from '../../../src/library/embeddings/embeddings.ts';
import { Log } from '../../../src/log.ts';
import { nearnessOf } from '../../../src/search/index/nearness.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';

describe('nearness', () => {
	it('counts from the mean on, as a part of the highest', () => {
		const own = Float64Array.from({ length: 100 }, (_, at) => at / 100);
		const found = nearnessOf(new Map(Array.from(own, (value, at) => [`${at}`, value])), own, Number);
		expect(found[99]).toBe(1);
		expect(found[10]).toBe(0);
		expect(found[75]).toBeCloseTo(0.51, 1);
	});

	it('is nothing when it has nothing in common with our own similarities', () => {
		const random = randomNumbers(5);
		const own = Float64Array.from({ length: 2000 }, random);
		const near = new Map(Array.from(own, (_, at) => [`${at}`, random()]));
		expect(Math.max(...nearnessOf(near, own, Number))).toBe(0);
	});

	it('of numbers that are none, or of documents that are gone, is left out', () => {
		const own = Float64Array.from([0.1, 0.2]);
		const near = new Map([
			['0', Number.NaN],
			['1', 0.5],
			['gone', 1],
		]);
		const found = nearnessOf(near, own, (id) => (id === 'gone' ? undefined : Number(id)));
		expect([...found]).toEqual([0, 0]);
	});
});

it('finds a document that only the model finds', () => {
	const index = new SearchIndex({ text: { weight: 1, typicalWords: 5 } });
	for (let at = 0; at < 50; at++) index.add({ id: `d${at}`, fields: { text: `word${at} alpha` } });
	expect(index.rank('zzz', { nearness: new Map([['d7', 0.9]]) }).ranked).toEqual([]); // nothing to judge the model by
});

it('finds as many tools with random vectors as without, or one of a hundred fewer', async () => {
	const { servers, groups } = ownSet(true);
	const queries = groups[0]?.queries.filter((_, at) => at % 4 === 0) ?? [];
	const tools = servers.flatMap(({ name, tools: own }) =>
		own.map((tool) => ({ server: name, tool: { ...tool, name: `${name}__${tool.name}` } })),
	);
	const random = randomNumbers(7);
	const nearness = async (_: string, documents: readonly { id: string }[]) =>
		new Map(documents.map(({ id }) => [id, 2 * random() - 1]));
	const recall = async (embeddings: Pick<Embeddings, 'nearness'> | undefined): Promise<number> => {
		const index = new ToolIndex(new ToolUsage(), Log.silent, async () => embeddings as Embeddings);
		let sum = 0;
		for (const { query, wanted } of queries) {
			const found = await index.search(tools, { query, limit: 5, accept: () => true });
			const names = new Set(found.map(({ id }) => id));
			sum += wanted.filter((any) => any.some((name) => names.has(name))).length / wanted.length;
		}
		return sum / queries.length;
	};
	expect(queries.length).toBeGreaterThan(60);
	expect(await recall({ nearness })).toBeGreaterThanOrEqual((await recall(undefined)) - 0.01);
});

function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
