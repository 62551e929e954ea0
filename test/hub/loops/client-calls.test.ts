import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientCalls, type ClientLimits } from '../../../src/hub/loops/client-calls.ts';
import { MessageView } from '../../../src/wire/message-view.ts';

const read = { name: 'files__read', backend: 'files' };
const write = { name: 'files__write', backend: 'files' };

describe('equal calls in a row', () => {
	it('pass as often as the limit says, and again when the first of them is a minute old', () => {
		const { calls, wait } = watched({ identical: 3 });
		const pass = (): boolean => calls.admit(read, { path: 'a' }) === undefined;
		expect([pass(), pass(), pass(), pass()]).toEqual([true, true, true, false]);
		wait(59_000);
		expect(calls.admit(read, { path: 'a' })).toMatchObject({ rule: 'limits.identicalCalls', leftMs: 1000 });
		wait(1000);
		expect(pass()).toBe(true);
	});

	it.each([
		['another tool', write, { path: 'a' }],
		['other arguments', read, { path: 'b' }],
	])('begin anew after a call of %s', (_what, tool, input) => {
		const { calls } = watched({ identical: 2 });
		for (let round = 0; round < 3; round++) {
			expect(calls.admit(read, { path: 'a' })).toBeUndefined();
			expect(calls.admit(tool, input)).toBeUndefined();
		}
	});

	it('are equal by value: as text with blanks, with other key order, or parsed', () => {
		const { calls } = watched({ identical: 3 });
		const forms = [view('{"a":1,"b":2}'), view('{ "b": 2, "a": 1 }'), { b: 2, a: 1 }, view('{"a":1,"b":2}')];
		// A text of another length is not looked into: such a client never sends it.
		expect(calls.admit(read, forms[0])).toBeUndefined();
		expect(forms.slice(2).map((form) => calls.admit(read, form) === undefined)).toEqual([true, true]);
		expect(calls.admit(read, { a: 1, b: 2 })).toBeDefined();
	});

	it('are not counted when they were not made', () => {
		const { calls } = watched({ identical: 1, rates: { tool: 1 } });
		for (let round = 0; round < 5; round++) {
			expect(calls.admit(read, view('{}'))).toBeUndefined();
			calls.withdraw();
		}
	});

	it('are not compared when they are very long', () => {
		const { calls } = watched({ identical: 1 });
		const long = { text: 'x'.repeat(100_000) };
		for (const input of [long, long, view(JSON.stringify(long)), view(JSON.stringify(long))])
			expect(calls.admit(read, input)).toBeUndefined();
	});
});

describe('calls a minute', () => {
	it.each([
		['client', { client: 2 }, [true, true, false]],
		['server', { server: 2 }, [true, true, false]],
		['tool', { tool: 1 }, [true, true, false]],
	])('are counted for each %s', (of, rates, passed) => {
		const { calls } = watched({ rates });
		expect([read, write, read].map((tool) => calls.admit(tool, {}) === undefined)).toEqual(passed);
		expect(calls.admit(read, {})).toMatchObject({ rule: `limits.callsPerMinute.${of}` });
	});

	it('never are more than the limit and what the time has given back', () => {
		const gaps = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 60 });
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 20 }), gaps, (rate, waits) => {
				const { calls, wait } = watched({ rates: { client: rate } });
				let passed = 0;
				let spentMs = 0;
				for (const ms of waits) {
					wait(ms);
					spentMs += ms;
					if (calls.admit(read, {}) === undefined) passed++;
					expect(passed).toBeLessThanOrEqual(rate + Math.ceil((spentMs * rate) / 60_000) + 1e-6);
				}
			}),
		);
	});

	it('pass after the time that the refusal names, and at once when a user allows it', () => {
		const { calls, wait } = watched({ rates: { client: 6 } });
		for (let count = 0; count < 6; count++) calls.admit(read, {});
		const { leftMs = 0 } = calls.admit(read, {}) ?? {};
		wait(leftMs);
		expect(calls.admit(read, {})).toBeUndefined();
		expect(calls.admit(read, {})).toBeDefined();
		calls.reset();
		expect(calls.admit(read, {})).toBeUndefined();
	});
});

function watched({ identical = 0, rates }: Partial<ClientLimits>): {
	calls: ClientCalls;
	wait: (ms: number) => void;
} {
	let now = 0;
	return { calls: new ClientCalls({ identical, rates }, () => now), wait: (ms) => void (now += ms) };
}

function view(input: string): MessageView {
	return new MessageView(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${input}}}`,
	);
}
