import { describe, expect, it } from 'vitest';
import { RemoteCall, type RemoteCallOptions } from '../../src/fabric/calls/remote-call.ts';

const up = { isUp: true, upSince: 0, hasWorker: true };
const down = { ...up, isUp: false };

describe('the silence about a call', () => {
	it('is given up after the expiry when no worker accepted it', () => {
		const call = sent();
		expect(call.check(5900, up)).toBe('wait');
		expect(call.check(6100, up)).toEqual({ unknown: 'no worker accepted it in 6 s' });
	});

	it('is given up after 2 s when no worker is left that could accept it', () => {
		const call = sent();
		expect(call.check(1900, { ...up, hasWorker: false })).toBe('wait');
		expect(call.check(2100, { ...up, hasWorker: false })).toMatchObject({
			unknown: expect.stringMatching(/left/),
		});
	});

	it('is queried after 3 s, then every 500 ms, and given up after 5 s more', () => {
		const call = accepted();
		expect(call.check(2900, up)).toBe('wait');
		expect(call.check(3000, up)).toBe('query');
		expect(call.check(3400, up)).toBe('wait');
		expect(call.check(3500, up)).toBe('query');
		expect(call.check(8100, up)).toMatchObject({ unknown: expect.stringMatching(/silent for 8 s/) });
	});

	it('ends with every word of the worker', () => {
		const call = accepted();
		expect(call.check(3000, up)).toBe('query');
		call.heard(7900);
		expect(call.check(8100, up)).toBe('wait');
	});

	it('does not count while the link of the hub is down, up to 30 s', () => {
		const call = accepted();
		expect(call.check(20_000, down)).toBe('wait');
		call.reconnected(20_000);
		expect(call.check(20_100, { ...up, upSince: 20_000 })).toBe('wait');
		expect(call.check(20_600, { ...up, upSince: 20_000 })).toBe('query');
		expect(call.check(24_900, { ...up, upSince: 20_000 })).toBe('query');
		expect(call.check(25_100, { ...up, upSince: 20_000 })).toMatchObject({
			unknown: expect.stringMatching(/silent/),
		});
		expect(accepted().check(30_100, down)).toMatchObject({
			unknown: expect.stringMatching(/nothing was heard for 30 s/),
		});
	});
});

function sent(): RemoteCall {
	const about = {
		id: 'c',
		group: 'gpu',
		tool: 'x',
		subject: '',
		sentAt: 0,
		resolve: () => {},
		reject: () => {},
	};
	// The rules need no context.
	return new RemoteCall(about as unknown as RemoteCallOptions);
}

function accepted(): RemoteCall {
	const call = sent();
	call.worker = { name: 'one', instance: undefined };
	return call;
}
