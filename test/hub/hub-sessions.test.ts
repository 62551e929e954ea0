import { describe, expect, it } from 'vitest';
import { SessionEnds } from '../../src/hub/sessions/hub-sessions.ts';
import { nextTurn, until } from '../support/waiting.ts';

describe('SessionEnds', () => {
	it('reports a session whose last connection closed and was not opened again', async () => {
		const { ends, ended } = watched(1);
		ends.opened('a');
		ends.opened('a');
		ends.closed('a');
		await nextTurn();
		expect(ended).toEqual([]);
		ends.closed('a');
		await until('the session ended', () => ended.length > 0);
		expect(ended).toEqual(['a']);
	});

	it('does not report a session that is opened again within the grace period', async () => {
		const { ends, ended } = watched(20);
		ends.opened('a');
		ends.closed('a');
		ends.opened('a');
		ends.opened('b');
		ends.closed('b');
		await until('the other session ended', () => ended.length > 0);
		expect(ended).toEqual(['b']);
	});

	it('knows the sessions that are open, or may be opened again', () => {
		const { ends } = watched(60_000);
		for (const id of ['a', 'b', 'b']) ends.opened(id);
		for (const id of ['a', 'b']) ends.closed(id);
		expect([...ends.left].sort()).toEqual(['a', 'b']);
		ends.clear();
		expect([...ends.left]).toEqual([]);
	});

	it('reports nothing after it was cleared', async () => {
		const { ends, ended } = watched(1);
		ends.opened('a');
		ends.closed('a');
		ends.clear();
		await nextTurn();
		expect(ended).toEqual([]);
	});
});

function watched(graceMs: number): { ends: SessionEnds; ended: string[] } {
	const ended: string[] = [];
	return { ends: new SessionEnds((id) => ended.push(id), graceMs), ended };
}
