import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { Cancelable } from '../../src/rpc/calls/cancelable.ts';

const reason = new OrchestraError('canceled', 'the caller left');

describe('Cancelable', () => {
	it('notifies its signal and its listeners once, with the first reason', () => {
		const work = new Cancelable();
		const heard: unknown[] = [];
		work.onCancel((each) => heard.push(each));
		const { signal } = work;
		expect([signal.aborted, work.cancelReason]).toEqual([false, undefined]);
		work.abort(reason);
		work.abort(new OrchestraError('canceled', 'again'));
		expect([signal.reason, heard, work.cancelReason]).toEqual([reason, [reason], reason]);
	});

	it('that was canceled before notifies at once', () => {
		const work = new Cancelable();
		work.abort(reason);
		const heard: unknown[] = [];
		work.onCancel((each) => heard.push(each));
		expect([work.signal.reason, work.signal, heard]).toEqual([reason, work.signal, [reason]]);
	});
});
