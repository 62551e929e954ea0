import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { NO_ROW, WordVectors } from '../../../src/search/vectors/word-vectors.ts';
import { tableOf } from '../../support/word-vectors.ts';

const words = { crash: [100, 0], fail: [90, 30], cake: [0, 100] };

describe('WordVectors', () => {
	it('finds the row of a known stem only', () => {
		const vectors = new WordVectors(tableOf(words));
		expect([vectors.size, vectors.dimensions]).toEqual([3, 2]);
		expect(vectors.rowOf('fail')).toBe(1);
		expect(vectors.rowOf('failing')).toBe(NO_ROW);
	});

	it('gives similar words a higher similarity than others', () => {
		const vectors = new WordVectors(tableOf(words));
		const [crash, fail, cake] = ['crash', 'fail', 'cake'].map((word) => vectors.rowOf(word));
		expect(vectors.similarity(crash ?? 0, fail ?? 0)).toBeGreaterThan(0.9);
		expect(vectors.similarity(crash ?? 0, cake ?? 0)).toBe(0);
		expect(vectors.similarity(crash ?? 0, crash ?? 0)).toBeCloseTo(1);
	});

	it('adds rows to a sum, each by its weight and scale', () => {
		const vectors = new WordVectors(tableOf(words, 0.5));
		const sum = new Float32Array([7, 1, 1]);
		vectors.addTo(sum, 1, vectors.rowOf('fail'), 2);
		expect([...sum]).toEqual([7, 91, 31]);
		expect(vectors.product(vectors.rowOf('fail'), new Float32Array([1, 2]))).toBe(75);
	});

	it('reads a table at any alignment of its bytes', () => {
		const table = tableOf(words);
		const shifted = new Uint8Array(table.length + 3);
		shifted.set(table, 3);
		expect(new WordVectors(shifted.subarray(3)).rowOf('cake')).toBe(2);
	});

	it('refuses a table that is cut anywhere or too long, naming the sizes', () => {
		const table = tableOf(words);
		for (let length = 0; length < table.length; length++) {
			expect(errorOf(table.slice(0, length)).message).toContain(`has ${length} bytes`);
		}
		expect(errorOf(Uint8Array.from([...table, 0])).code).toBe('bad_input');
	});

	it('refuses bytes of another kind', () => {
		const table = tableOf(words);
		table[0] = 0x58;
		expect(errorOf(table)).toMatchObject({ code: 'bad_input', hint: 'Install the package again.' });
		expect(errorOf(table).message).toContain('"orchwv01"');
	});

	it('refuses a count of words that the list does not have', () => {
		const table = tableOf({ ab: [1, 2], cd: [3, 4] });
		table[22] = 0x78;
		expect(errorOf(table).message).toBe('the table of word vectors has 1 words instead of 2');
	});

	it('reads any bytes or throws bad_input', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(79), (noise, at) => {
				const table = tableOf(words);
				table.set(noise.subarray(0, table.length - Math.min(at, table.length)), Math.min(at, table.length));
				try {
					expect(new WordVectors(table).size).toBeGreaterThan(0);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});
});

function errorOf(bytes: Uint8Array): OrchestraError {
	try {
		throw new Error(`took a table of ${new WordVectors(bytes).size} words`);
	} catch (error) {
		if (OrchestraError.is(error)) return error;
		throw error;
	}
}
