/* Vectors of an endpoint: protocol, cache, deadline and bounds, and answers that are wrong. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { EmbeddingEndpoint, vectorsIn } from '../../../src/library/embeddings/embedding-endpoint.ts';
import { BATCH_STRINGS } from '../../../src/library/embeddings/embedding-limits.ts';
import { Embeddings } from '../../../src/library/embeddings/embeddings.ts';
import { VectorFile } from '../../../src/library/embeddings/vector-file.ts';
import { Log } from '../../../src/log.ts';
import { serveEmbeddings, wordVector } from '../../support/embedding-server.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const words = ['cat', 'dog', 'tree'];
const documents = [
	{ id: 'a', text: 'a cat' },
	{ id: 'b', text: 'a dog' },
	{ id: 'c', text: 'a tree' },
];
const byWords = (texts: string[]): number[][] => texts.map((text) => wordVector(text, words));

describe('an endpoint', () => {
	it('gets model, texts and key, and the vectors come in the order of the texts', async () => {
		const { url, server } = await serveEmbeddings((texts, response) => {
			const data = texts.map((text, index) => ({ index, embedding: wordVector(text, words) })).reverse();
			response.end(JSON.stringify({ data }));
		});
		const endpoint = new EmbeddingEndpoint({ url, model: 'small', key: async () => 'k-1' });
		const [cat, tree] = await endpoint.embed(['cat', 'tree'], 5000);
		expect(cat?.[1]).toBeCloseTo(0.995, 2);
		expect(tree?.[3]).toBeCloseTo(0.995, 2);
		const [received] = server.received;
		expect(received?.path).toBe('/v1/embeddings');
		expect(received?.headers.authorization).toBe('Bearer k-1');
		expect(JSON.parse(received?.body ?? '')).toEqual({
			model: 'small',
			input: ['cat', 'tree'],
			encoding_format: 'float',
		});
	});

	it.each([
		['no JSON', 'hello', 'is not JSON'],
		['no list', '{"data":{}}', 'has no list "data"'],
		['too few', '{"data":[]}', 'has 0 vectors for 2 texts'],
		['too many', data([1], [1], [1]), 'has 3 vectors for 2 texts'],
		['other dimensions', data([1, 2], [1]), 'has vectors of 2 and of 1 dimensions'],
		['a text', data(['1'], [1]), 'has a vector with values that are no numbers'],
		['null, as NaN is written', data([null], [1]), 'has a vector with values that are no numbers'],
		['infinity', '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}', 'values that are no numbers'],
		['beyond 32 bits', '{"data":[{"embedding":[1e300]},{"embedding":[1]}]}', 'values that are no numbers'],
		['nothing', data([0, 0], [0, 1]), 'has a vector without a direction'],
		['an empty vector', data([], [1]), 'is no list of 1 to'],
		[
			'a huge vector',
			data(
				Array.from({ length: 5000 }, () => 1),
				[1],
			),
			'is no list of 1 to',
		],
		['a wrong index', '{"data":[{"index":7,"embedding":[1]},{"embedding":[1]}]}', 'has a vector for text 7'],
		[
			'an index twice',
			'{"data":[{"index":1,"embedding":[1]},{"embedding":[1]}]}',
			'has two vectors for text 1',
		],
	])('that answers with %s is refused', (_, text, reason) => {
		expect(() => vectorsIn(text, 2)).toThrow(reason);
	});

	it('may answer anything: vectors of length 1, or an error with a code', () => {
		fc.assert(
			fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (text, count) => {
				try {
					for (const vector of vectorsIn(text, count)) expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});

	it('that answers without end is cut off', async () => {
		const { url } = await serveEmbeddings((_, response) => {
			const part = Buffer.alloc(1 << 20, 32);
			const more = (): void => {
				while (!response.destroyed && response.write(part));
				if (!response.destroyed) response.once('drain', more);
			};
			more();
		});
		const endpoint = new EmbeddingEndpoint({ url, model: 'm' });
		await expect(endpoint.embed(['x'], 20_000)).rejects.toThrow('has more than');
	});

	it('may not redirect: the texts would go elsewhere', async () => {
		const { url } = await serveEmbeddings((_, response) => {
			response.writeHead(307, { location: 'http://127.0.0.1:1/v1/embeddings' }).end();
		});
		await expect(new EmbeddingEndpoint({ url, model: 'm' }).embed(['x'], 5000)).rejects.toThrow('redirect');
	});

	it('gets no key without encryption, except on this machine', () => {
		const key = async (): Promise<string> => 'k';
		expect(() => new EmbeddingEndpoint({ url: 'http://ai.example/v1', model: 'm', key })).toThrow(
			'encryption',
		);
		expect(new EmbeddingEndpoint({ url: 'http://ai.example/v1', model: 'm' }).isLocal).toBe(false);
		expect(new EmbeddingEndpoint({ url: 'http://[::1]:9/v1', model: 'm', key }).isLocal).toBe(true);
	});
});

describe('embeddings', () => {
	it('say how near documents are, once these have their vectors', async () => {
		const { url } = await serveEmbeddings(byWords);
		const { embeddings } = open(url);
		await embeddings.nearness('dog', documents);
		await embeddings.settled();
		const near = await embeddings.nearness('dog', documents);
		expect(near?.get('b')).toBeGreaterThan(0.95);
		expect(near?.get('a')).toBeLessThan(0.2);
	});

	it('ask once for a text, over restarts too, in batches', async () => {
		const { url, asked } = await serveEmbeddings(byWords);
		const many = Array.from({ length: BATCH_STRINGS + 1 }, (_, at) => ({ id: `${at}`, text: `cat ${at}` }));
		const { embeddings, folder } = open(url);
		await embeddings.nearness('dog', many);
		await embeddings.settled();
		await embeddings.nearness('dog', [...many]);
		await embeddings.settled();
		expect(asked.map((texts) => texts.length).sort((a, b) => a - b)).toEqual([1, 1, BATCH_STRINGS]);
		const again = open(url, folder);
		await again.embeddings.nearness('tree', many);
		await again.embeddings.settled();
		expect(asked.slice(3)).toEqual([['tree']]);
		const [file = ''] = readdirSync(folder);
		expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
	});

	it('never delay a search beyond the deadline, and log it once', async () => {
		const { url } = await serveEmbeddings(() => undefined); // never answers
		const { embeddings, lines } = open(url);
		expect(await embeddings.nearness('dog', documents)).toBeUndefined();
		// Without the pause these take longer than a test may.
		for (let search = 0; search < 50; search++) await embeddings.nearness(`dog ${search}`, documents);
		expect(lines).toHaveLength(1);
		expect(lines[0]).toContain('searching without embeddings: no answer within 300 ms');
		await embeddings.close();
	});

	it('are left out when the endpoint is dead or wrong', async () => {
		const { url, server } = await serveEmbeddings((texts) => texts.slice(1).map(() => [1]));
		const { embeddings, lines } = open(url);
		expect(await embeddings.nearness('dog', documents)).toBeUndefined();
		await embeddings.settled();
		expect(lines).toHaveLength(1);
		await server.stop();
		const dead = open(url);
		expect(await dead.embeddings.nearness('dog', documents)).toBeUndefined();
		expect(dead.lines[0]).toMatch(/failed: .*(?:ECONNREFUSED|closed)/);
	});

	it('start again when the model changes its dimensions, or the file is broken', async () => {
		const { url } = await serveEmbeddings(byWords);
		const { embeddings, folder } = open(url);
		await embeddings.nearness('dog', documents);
		await embeddings.settled();
		const file = join(folder, readdirSync(folder)[0] ?? '');
		const stored = new VectorFile(file);
		stored.put('00'.repeat(16), Float32Array.of(1, 0));
		expect(stored.similarity('00'.repeat(16), Float32Array.of(1, 0))).toBeCloseTo(1);
		stored.save();
		expect(statSync(file).size).toBe(16 + 16 + 4 + 2);
		writeFileSync(file, 'orchev01 and nothing else of use');
		expect(new VectorFile(file).has('00'.repeat(16))).toBe(false);
	});
});

function open(
	url: string,
	folder: string = temporaryFolder(),
): { embeddings: Embeddings; folder: string; lines: string[] } {
	const lines: string[] = [];
	const log = Log.fromEnvironment('search', { LOG_LEVEL: 'warn' }, (line) => lines.push(line));
	return { embeddings: new Embeddings({ settings: { url, model: 'm' }, folder, log }), folder, lines };
}

function data(...vectors: unknown[][]): string {
	return JSON.stringify({ data: vectors.map((embedding) => ({ embedding })) });
}
