/* What is read from untrusted text: request state and URI templates. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_ANSWER_MS } from '../../src/mcp/mcp-limits.ts';
import { RequestStates } from '../../src/mcp/server/request-state.ts';
import { matchTemplate } from '../../src/protocol/uri-template.ts';
import { rpcErrorOf } from '../../src/rpc/rpc-error.ts';

describe('request state', () => {
	it('opens a sealed state for the same request before it expires', () => {
		let now = 0;
		const states = new RequestStates(() => now);
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (state, request) => {
				now = 0;
				const sealed = states.seal({ state }, request);
				now = CLIENT_ANSWER_MS;
				expect(states.open(sealed, request)).toEqual({ state });
				expect(() => states.open(sealed, `${request}x`)).toThrow('another request');
				now = CLIENT_ANSWER_MS + 1;
				expect(() => states.open(sealed, request)).toThrow('expired');
			}),
		);
	});

	it('refuses anything else with -32602', () => {
		const states = new RequestStates();
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				expect(refusal(() => states.open(text, 'r'))).toBe(-32602);
				expect(refusal(() => states.open(`${text}.${text}`, 'r'))).toBe(-32602);
			}),
		);
	});

	it('refuses a change of any one character', () => {
		const states = new RequestStates();
		const sealed = states.seal({ suspended: 'p' }, 'r');
		for (let at = 0; at < sealed.length; at++) {
			const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
			expect(refusal(() => states.open(changed, 'r'))).toBe(-32602);
		}
	});
});

describe('URI templates', () => {
	it('give back the values that were filled in', () => {
		const value = fc.string({ minLength: 1, unit: 'grapheme' });
		fc.assert(
			fc.property(value, value, (a, b) => {
				const uri = `x://${encodeURIComponent(a)}/y.z/${encodeURIComponent(b)}`;
				expect(matchTemplate('x://{a}/y.z/{b}', uri)).toEqual({ a, b });
			}),
		);
	});

	it('take slashes only where the template says so, and every other character as it is', () => {
		expect(matchTemplate('f:///{+path}', 'f:///a/b.txt')).toEqual({ path: 'a/b.txt' });
		expect(matchTemplate('f:///{path}', 'f:///a/b.txt')).toBeUndefined();
		expect(matchTemplate('a.b/{x}', 'aXb/1')).toBeUndefined();
		expect(matchTemplate('a(/{x}', 'a(/100%')).toEqual({ x: '100%' });
	});

	it('survive any template and any URI', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (template, uri) => {
				matchTemplate(template, uri);
				expect(matchTemplate(template.replace(/[{}]/g, ''), template.replace(/[{}]/g, ''))).toEqual({});
			}),
		);
	});
});

function refusal(action: () => unknown): number | undefined {
	try {
		action();
	} catch (error) {
		return rpcErrorOf(error)?.code;
	}
	return undefined;
}
