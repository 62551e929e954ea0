import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEPT_RESULTS, ResultStore } from '../../../src/hub/results/result-store.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('ResultStore', () => {
	it('removes the oldest results above its size', async () => {
		const { store } = opened(10);
		const ids = [await store.keep(text('12345'), 's'), await store.keep(text('12345'), 's')];
		const third = await store.keep(text('1'), 's');
		expect(ids.map((id) => store.find(id) !== undefined)).toEqual([false, true]);
		expect(store.find(third)).toMatchObject({ bytes: 1 });
		await store.close();
	});

	it('keeps the newest result even when it alone is above its size', async () => {
		const { store } = opened(3);
		const id = await store.keep(text('12345'), 's');
		expect(store.find(id)).toBeDefined();
		await store.close();
	});

	it('keeps a bounded number of results', async () => {
		const { store } = opened();
		const first = await store.keep(text('1'), 's');
		for (let at = 0; at < KEPT_RESULTS; at++) await store.keep(text('1'), 's');
		expect(store.find(first)).toBeUndefined();
		await store.close();
	});

	it('removes the files of a session that ended, and those only', async () => {
		const { store } = opened();
		const gone = await store.keep(text('1'), 'a');
		const stays = await store.keep(text('1'), 'b');
		const { path } = store.find(gone) ?? { path: '' };
		store.endSession('a');
		expect([store.find(gone), store.find(stays)?.sessionId]).toEqual([undefined, 'b']);
		await until('the file is gone', () => !existsSync(path));
		await store.close();
	});

	it('keeps files private and removes its folder at the end', async () => {
		const { store, results } = opened();
		const { path } = store.find(await store.keep(text('1'), 's')) ?? { path: '' };
		expect(statSync(path).mode & 0o777).toBe(0o600);
		await store.close();
		expect(readdirSync(results)).toEqual([]);
	});

	it('removes the folder of a process that died', async () => {
		const { store, results } = opened();
		const left = join(results, `999999-123-${crypto.randomUUID()}`);
		mkdirSync(left, { recursive: true, mode: 0o700 });
		await store.keep(text('1'), 's');
		expect(existsSync(left)).toBe(false);
		await store.close();
	});
});

function opened(bytes?: number): { store: ResultStore; results: string } {
	const state = temporaryFolder();
	const store = new ResultStore({ XDG_STATE_HOME: state }, bytes);
	return { store, results: join(state, 'orchestra', 'results') };
}

function text(content: string): { content: Buffer; mimeType: string; isText: boolean } {
	return { content: Buffer.from(content), mimeType: 'text/plain', isText: true };
}
