import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { Cancelable } from '../../src/rpc/calls/cancelable.ts';
import { canceledCall } from '../../src/rpc/calls/message-errors.ts';
import { type CancelSource, type PendingEntry, PendingTable } from '../../src/rpc/calls/pending.ts';
import { FakeClock } from '../support/fake-channel.ts';

describe('PendingTable', () => {
	it('removes a call at its deadline, and honours a deadline that was moved', () => {
		const { table, clock, log, call } = pendingTable();
		table.add(call(1, 100), undefined);
		const moved = call(2, 100);
		table.add(moved, undefined);
		moved.dueAt = 150;
		clock.advance(120);
		expect(log).toEqual(['1 expired at 100']);
		clock.advance(60);
		expect(log).toEqual(['1 expired at 100', '2 expired at 150']);
		expect(table.size).toBe(0);
	});

	it('settles a call once, whatever ends it second', () => {
		const { table, clock, log, call } = pendingTable();
		const controller = new AbortController();
		table.add(call(1, 100), controller.signal);
		expect(table.take(1)?.id).toBe(1);
		controller.abort();
		clock.advance(200);
		table.failAll(new OrchestraError('closed', 'gone'));
		expect([table.take(1), ...log]).toEqual([undefined]);
	});

	it('removes a call whose signal is aborted, and no other', () => {
		const { table, log, call } = pendingTable();
		const controller = new AbortController();
		table.add(call(1, 100), controller.signal);
		table.add(call(2, Number.POSITIVE_INFINITY), undefined);
		controller.abort();
		expect(log).toEqual(['1 was canceled']);
		expect(table.oldest?.id).toBe(2);
	});

	it('removes a call whose work is canceled, and a settled one is not canceled', () => {
		const { table, log, call } = pendingTable();
		const [work, settled] = [cancelSource(), cancelSource()];
		table.add(call(1, 100), undefined, work);
		table.add(call(2, 100), undefined, settled);
		table.take(2);
		for (const each of [work, settled]) each.abort(new OrchestraError('canceled', 'the caller left'));
		expect([log, table.size]).toEqual([['1 was canceled'], 0]);
	});

	it('rejects every call when the connection ends, and leaves no timer', () => {
		const { table, clock, log, call } = pendingTable();
		table.add(call(1, 100), undefined);
		table.add(call(2, 200), undefined);
		table.failAll(new OrchestraError('closed', 'gone'));
		expect(log).toEqual(['1 rejected: gone', '2 rejected: gone']);
		expect(clock.timerCount).toBe(0);
	});

	it('finds nothing under an id that is not a number', () => {
		const { table, call } = pendingTable();
		table.add(call(1, 100), undefined);
		expect([table.get('1'), table.take(null), table.size]).toEqual([undefined, undefined, 1]);
	});
});

function cancelSource(): CancelSource & Cancelable {
	return Object.assign(new Cancelable(), { isCanceled: false });
}

function pendingTable() {
	const clock = new FakeClock();
	const log: string[] = [];
	const table = new PendingTable<PendingEntry>(clock, {
		expired: ({ id }, now) => log.push(`${id} expired at ${now}`),
		aborted: ({ id }, signal) => log.push(canceledCall(String(id), signal).message),
	});
	const call = (id: number, dueAt: number): PendingEntry => ({
		id,
		dueAt,
		reject: (error) => log.push(`${id} rejected: ${error.message}`),
	});
	return { table, clock, log, call };
}
