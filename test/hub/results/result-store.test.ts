import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/hub/results/result-folder.ts';
import { STORED_MS, STORED_RESULTS_LIMIT } from '../../../src/hub/results/result-limits.ts';
import {
	allStored,
	type Caller,
	pinResult,
	ResultStore,
	type ResultStoreOptions,
} from '../../../src/hub/results/result-store.ts';
import { readSent } from '../../../src/hub/results/stored-result.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('ResultStore', () => {
	it('removes the oldest results above its size', async () => {
		const { store } = opened({ storedBytes: 10 });
		const ids = [await store.add(text('12345'), session('s')), await store.add(text('12345'), session('s'))];
		const third = await store.add(text('1'), session('s'));
		const found = await Promise.all(ids.map((id) => store.find(id, session('s'))));
		expect(found.map((each) => each !== undefined)).toEqual([false, true]);
		expect(await store.find(third, session('s'))).toMatchObject({ bytes: 1, tool: 'files__read' });
		await store.close();
	});

	it('retains the newest result even when it alone is above its size', async () => {
		const { store } = opened({ storedBytes: 3 });
		const id = await store.add(text('12345'), session('s'));
		expect(await store.find(id, session('s'))).toBeDefined();
		await store.close();
	});

	it('stores a bounded number of results', async () => {
		const { store } = opened();
		const first = await store.add(text('1'), session('s'));
		for (let at = 0; at < STORED_RESULTS_LIMIT; at++) await store.add(text('1'), session('s'));
		expect(await store.find(first, session('s'))).toBeUndefined();
		await store.close();
	});

	it('gives a result to its own session only, and to none when it is too old', async () => {
		let now = 1;
		const { store } = opened({ now: () => now });
		const id = await store.add(text('1'), session('mine'));
		expect(await store.find(id, session('other'))).toBeUndefined();
		expect(await store.find(id, session('mine'))).toBeDefined();
		now += STORED_MS;
		expect(await store.find(id, session('mine'))).toBeUndefined();
		await store.close();
	});

	it('gives a result of a modern client over HTTP to its sender in any session, also when the first one ended', async () => {
		const { store } = opened();
		const id = await store.add(text('1'), sender('token:1', 'first'));
		await store.endSession('first');
		expect(await store.find(id, sender('token:1', 'second'))).toBeDefined();
		expect(await store.find(id, sender('token:2', 'first'))).toBeUndefined();
		expect(await store.find(id, session('first'))).toBeUndefined();
		await store.close();
	});

	it('has what the client got before the content, also when that was the first part', async () => {
		const { store } = opened();
		const sent = { text: 'é first', structured: null };
		const found = await store.find(await store.add({ ...text('all'), sent }, session('s')), session('s'));
		expect(found && (await readSent(found))).toEqual(sent);
		expect(found && readFileSync(found.path).toString('utf8', found.from - 1)).toBe('}all');
		const whole = await store.find(await store.add(text('all'), session('s')), session('s'));
		expect(whole && (await readSent(whole))).toBeUndefined();
		await store.close();
	});

	it('finds nothing by a name that is no handle', async () => {
		const { store } = opened();
		for (const name of ['../secret', '', 'r-', 'kept', `r-${'0'.repeat(24)}`])
			expect(await store.find(name, session('s'))).toBeUndefined();
	});

	it('removes the files of a session that ended, and those only', async () => {
		const { store } = opened();
		const gone = await store.add(text('1'), session('a'));
		const stays = await store.add(text('1'), session('b'));
		const { path } = (await store.find(gone, session('a'))) ?? { path: '' };
		await store.endSession('a');
		expect(await store.find(gone, session('a'))).toBeUndefined();
		expect(await store.find(stays, session('b'))).toBeDefined();
		await until('the file is gone', () => !existsSync(path));
		await store.close();
	});

	it('makes files private and removes its folder at the end', async () => {
		const { store, results } = opened();
		const { path } = (await store.find(await store.add(text('1'), session('s')), session('s'))) ?? {
			path: '',
		};
		expect(statSync(path).mode & 0o777).toBe(0o600);
		await store.close();
		expect(readdirSync(results)).toEqual([]);
	});

	it('removes the folder of a process that died', async () => {
		const { store, results } = opened();
		const left = join(results, `999999-123-${crypto.randomUUID()}`);
		mkdirSync(left, { recursive: true, mode: 0o700 });
		await store.add(text('1'), session('s'));
		expect(existsSync(left)).toBe(false);
		await store.close();
	});

	it('knows the results of a shared hub again after its restart', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		const before = new ResultStore({ environment, lasting: 'hub-1' });
		const id = await before.add(text('12345'), session('s'));
		await before.close();
		const next = new ResultStore({ environment, lasting: 'hub-1' });
		expect(await next.find(id, session('s'))).toMatchObject({ handle: id, bytes: 5 });
		expect(await next.find(id, session('other'))).toBeUndefined();
	});

	it('gives a sender its results again after the restart of a hub that is not shared, and removes them when they are old', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		let now = 1;
		const open = () => new ResultStore({ environment, now: () => now });
		const before = open();
		const id = await before.add(text('12345'), sender('token:1', 'first'));
		const ofSession = await before.add(text('1'), session('first'));
		await before.close();
		const next = open();
		expect(await next.find(id, sender('token:1', 'second'))).toMatchObject({ handle: id, bytes: 5 });
		expect(await next.find(id, sender('token:2', 'first'))).toBeUndefined();
		expect(await next.find(ofSession, session('first'))).toBeUndefined();
		now += STORED_MS;
		expect(await next.find(id, sender('token:1', 'second'))).toBeUndefined();
		await open().add(text('1'), sender('token:1', 'third'));
		await until('the old file is gone', async () => (await allStored(environment)).length === 1);
	});

	it('removes the results of a session that began before the restart of its hub', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		const before = new ResultStore({ environment, lasting: 'hub-1' });
		await before.add(text('1'), session('ends'));
		const stays = await before.add(text('1'), session('stays'));
		await before.close();
		await new ResultStore({ environment, lasting: 'hub-1' }).endSession('ends');
		await until('one is left', async () => (await allStored(environment)).length === 1);
		expect(await allStored(environment)).toMatchObject([{ handle: stays }]);
	});

	it('removes the results of sessions that did not come back after the restart of their hub', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		const before = new ResultStore({ environment, lasting: 'hub-1' });
		await before.add(text('1'), session('of a client that left'));
		const stays = await before.add(text('1'), session('of a bridge'));
		const sent = await before.add(text('1'), sender('token:1', 'of a modern client'));
		await before.close();
		const next = new ResultStore({ environment, lasting: 'hub-1' });
		const own = await next.add(text('1'), session('new'));
		await next.endOthers(new Set(['of a bridge', 'new']));
		await until('three are left', async () => (await allStored(environment)).length === 3);
		const left = (await allStored(environment)).map(({ handle }) => handle);
		expect(left.sort()).toEqual([stays, sent, own].sort());
	});

	it('does not know a result that its hub did not write to the end', async () => {
		const { store, results } = opened({ lasting: 'hub-1' });
		const id = await store.add(text('12345'), session('s'));
		truncateSync(join(results, 'hub-1', id), statSync(join(results, 'hub-1', id)).size - 1);
		expect(await store.find(id, session('s'))).toBeUndefined();
	});

	it('removes what is too old from the folders of other hubs', async () => {
		const { store, results } = opened();
		const old = join(results, 'hub-2', `r-${'0'.repeat(24)}`);
		mkdirSync(dirname(old), { recursive: true, mode: 0o700 });
		writeFileSync(old, 'a part');
		utimesSync(old, 1, 1);
		await store.add(text('1'), session('s'));
		expect(existsSync(old)).toBe(false);
	});

	it('stores results again after its folder was removed', async () => {
		const { store, results } = opened();
		await store.add(text('1'), session('s'));
		rmSync(results, { recursive: true });
		await expect(store.add(text('2'), session('s'))).rejects.toThrow('ENOENT');
		const id = await store.add(text('3'), session('s'));
		expect(await store.find(id, session('s'))).toBeDefined();
	});

	it('stores results of a client with a very long name', async () => {
		const { store } = opened();
		const id = await store.add({ ...text('1'), client: 'x'.repeat(10_000) }, session('s'));
		expect(await store.find(id, session('s'))).toBeDefined();
	});

	it('retains a pinned result when its session ends and its hub closes', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		const store = new ResultStore({ environment });
		const id = await store.add(text('12345'), session('s'));
		const [stored] = await allStored(environment);
		if (stored) await pinResult(stored, environment);
		await store.endSession('s');
		await store.close();
		expect(await allStored(environment)).toMatchObject([{ handle: id, isPinned: true }]);
		expect(await new ResultStore({ environment }).find(id, session('another'))).toMatchObject({ bytes: 5 });
	});
});

function opened(options: Partial<ResultStoreOptions> = {}): { store: ResultStore; results: string } {
	const state = temporaryFolder();
	const store = new ResultStore({ environment: { XDG_STATE_HOME: state }, ...options });
	return { store, results: join(state, 'orchestra', 'results') };
}

function session(sessionId: string): Caller {
	return { revision: { era: 'legacy' }, sessionId };
}

/** A modern client over HTTP. */
function sender(principal: string, sessionId: string): Caller {
	return { revision: { era: 'modern' }, principal, sessionId };
}

function text(content: string): ResultDocument {
	const about = { mimeType: 'text/plain', isText: true, tool: 'files__read', client: 'agent' };
	return { content: Buffer.from(content), ...about };
}
