import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOutline } from '../../src/wire/message-outline.ts';

describe('messageOutline', () => {
	it('finds the kind and the id at the beginning, whatever the order and the form', () => {
		expect(messageOutline('{"jsonrpc":"2.0","id":7,"method":"x","par')).toEqual({ id: '7', kind: 'request' });
		expect(messageOutline('{"jsonrpc":"2.0","id":"a b","result":{"x')).toEqual({
			id: '"a b"',
			kind: 'result',
		});
		expect(messageOutline('{"jsonrpc":"2.0","id":9007199254740993,"error":{')).toEqual({
			id: '9007199254740993',
			kind: 'error',
		});
		expect(messageOutline('{ "method" : "x" , "\\u0069d" : 1.50 , "params" : [')).toEqual({
			id: '1.50',
			kind: 'request',
		});
	});

	it('finds no id where there is none, or where it is cut or no JSON', () => {
		expect(messageOutline('{"method":"x"')).toEqual({ id: undefined, kind: 'request' });
		expect(messageOutline('{"jsonrpc":"2.0","id":123')).toEqual({ id: undefined, kind: undefined });
		expect(messageOutline('{"id":null,"result":{"id":5},"x')).toEqual({ id: undefined, kind: 'result' });
		for (const id of ['007', '"\\x"', '1.', '-', '1e', '1-2', '{}'])
			expect(messageOutline(`{"jsonrpc":"2.0","id":${id},"method":"x"`).id, id).toBeUndefined();
		expect(messageOutline('garbage')).toEqual({ id: undefined, kind: undefined });
	});

	it('finds an id at the end, and only that of the message', () => {
		const at = (tail: string): string | undefined => messageOutline('{"result":{"x":"', tail).id;
		expect(at('yz"},"jsonrpc":"2.0","id":7}')).toBe('7');
		expect(at('yz"} , "id" : "a" } ')).toBe('"a"');
		expect(at('yz"},"id":7,"jsonrpc":"2.0"}')).toBe('7');
		expect(at('yz","id":7}}')).toBeUndefined();
		expect(at('yz","id":7},"jsonrpc":"2.0"}')).toBeUndefined();
		expect(at('yz,\\"id":7}')).toBeUndefined();
		expect(at('yz')).toBeUndefined();
		expect(messageOutline('garbage', ',"id":7}').id).toBeUndefined();
	});

	it('never throws, and finds the id of any message cut anywhere behind it', () => {
		const id = fc.oneof(fc.string(), fc.maxSafeInteger());
		fc.assert(
			fc.property(id, fc.jsonValue(), fc.nat(), (value, result, cut) => {
				const head = `{"jsonrpc":"2.0","id":${JSON.stringify(value)},"result":`;
				const text = `${head}${JSON.stringify(result)}}`;
				const { id, kind } = messageOutline(text.slice(0, cut % (text.length + 1)));
				expect(id === undefined ? value : JSON.parse(id)).toBe(value);
				expect(id !== undefined && kind !== undefined).toBe(cut % (text.length + 1) >= head.length);
			}),
		);
	});
});
