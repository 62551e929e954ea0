/* Equal workers share a group; kills of servers and workers never run a call twice. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsIn, startWorker, useFabric } from '../support/fabric-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe.skipIf(natsServer === undefined)('equal workers', () => {
	it('share 1,000 calls about evenly, and none is lost when one of them stops', async () => {
		const file = join(temporaryFolder(), 'runs');
		const { url } = await startNats();
		const [one] = await Promise.all(['one', 'two'].map((name) => startWorker([url], file, { name })));
		const hub = await useFabric([url]);
		await hub.sees('gpu__record');
		await hub.seesWorkers('gpu', 2);
		expect((await hub.tools()).filter((tool) => tool.endsWith('record'))).toEqual(['gpu__record']);
		const ids = Array.from({ length: 1000 }, (_none, at) => `id${at}`);
		const results = await inBatches(ids, 50, async (id) => hub.call('gpu__record', { id }));
		expect(results).toEqual(ids);
		const shareOfOne = runsIn(file).filter((line) => line.startsWith('one ')).length;
		expect(shareOfOne).toBeGreaterThan(400);
		expect(shareOfOne).toBeLessThan(600);

		const more = Array.from({ length: 300 }, (_none, at) => `more${at}`);
		const called = inBatches(more, 20, async (id) => hub.call('gpu__record', { id, ms: 5 }));
		one?.kill('SIGTERM');
		expect(await called).toEqual(more);
		await one?.exited;
	});

	it('never run a call twice while the server and workers are killed, and the log of runs would show it', async () => {
		const file = join(temporaryFolder(), 'runs');
		const server = await startNats();
		const start = (name: string): ReturnType<typeof startWorker> => startWorker([server.url], file, { name });
		const workers = await Promise.all(['one', 'two'].map(start));
		const hub = await useFabric([server.url]);
		await hub.sees('gpu__record');
		const calls: Promise<string>[] = [];
		let at = 0;
		const load = setInterval(() => calls.push(hub.call('gpu__record', { id: `k${at++}`, ms: 20 })), 5);
		for (let round = 0; round < 2; round++) {
			await server.kill();
			await server.start();
			workers[round]?.kill();
			workers.push(await start(`next${round}`));
		}
		clearInterval(load);
		const answers = await Promise.all(calls);
		const executed = runsIn(file).map((line) => line.split(' ')[1] ?? '');
		expect(twice(executed)).toEqual([]);
		// Every answer is a result, or says what is known.
		const kinds = answers.map((text) =>
			/^k\d+$|outcome unknown|not run/.exec(text)?.[0]?.replace(/^k\d+$/, 'result'),
		);
		expect(new Set(kinds)).not.toContain(undefined);
		const notRun = answers.flatMap((text, id) => (text.includes('not run') ? [`k${id}`] : []));
		expect(notRun.filter((id) => executed.includes(id))).toEqual([]);
		// The control: a call that is really made twice is found.
		await until(
			'the link is up again',
			async () => (await hub.call('gpu__record', { id: 'last' })) === 'last',
		);
		for (const id of ['twice', 'twice']) expect(await hub.call('gpu__record', { id })).toBe('twice');
		expect(twice(runsIn(file).map((line) => line.split(' ')[1] ?? ''))).toEqual(['twice']);
	});
});

function twice(ids: readonly string[]): string[] {
	const seen = new Set<string>();
	return ids.filter((id) => seen.has(id) || !seen.add(id));
}

async function inBatches<T>(
	items: readonly T[],
	size: number,
	work: (item: T) => Promise<string>,
): Promise<string[]> {
	const results: string[] = [];
	for (let at = 0; at < items.length; at += size)
		results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
	return results;
}
