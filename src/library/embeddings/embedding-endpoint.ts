/*
 * An endpoint of the OpenAI form: strings in, vectors out. Ollama, llama.cpp, LM Studio and
 * many services have one.
 *
 * The answer is a stranger's: its size, the number of vectors, their dimensions and every
 * number are checked. Redirects are refused, because strings and the key would go elsewhere.
 */
import { Readable } from 'node:stream';
import { messageOf, OrchestraError } from '../../errors.ts';
import { toUnit } from '../../search/vectors/vector.ts';
import { isLoopbackUrl } from '../../transport/http/network-class.ts';
import { readBytes } from '../../transport/http/read-bytes.ts';
import { isObject } from '../../wire/json.ts';
import { DIMENSIONS_LIMIT, EMBEDDING_ANSWER_LIMIT_BYTES } from './embedding-limits.ts';

/** Where vectors come from. */
export interface EmbeddingSettings {
	/** The base of the API, as `http://127.0.0.1:11434/v1`. */
	readonly url: string;
	readonly model: string;
	/** The key of the API, resolved with the first request. */
	readonly key?: (() => Promise<string>) | undefined;
}

export class EmbeddingEndpoint {
	readonly #settings: EmbeddingSettings;
	readonly #target: URL;

	/** Throws `bad_input` for a URL that cannot be used. */
	constructor(settings: EmbeddingSettings) {
		this.#settings = settings;
		const url = settings.url.replace(/\/+$/, '');
		this.#target = new URL(url.endsWith('/embeddings') ? url : `${url}/embeddings`);
		if (settings.key && this.#target.protocol !== 'https:' && !this.isLocal)
			throw new OrchestraError('bad_input', `${this.origin} would get the key without encryption`, {
				hint: 'Use https:// in search.embeddings.url, or remove the key.',
			});
	}

	get origin(): string {
		return this.#target.origin;
	}

	/** True when strings stay on this machine. */
	get isLocal(): boolean {
		return isLoopbackUrl(this.#target);
	}

	/** One vector of length 1 for each text, all of the same dimensions. Rejects with `io`, `timeout` or `bad_input`. */
	async embed(inputs: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<Float32Array[]> {
		const { model, key } = this.#settings;
		try {
			const authorization = key && { authorization: `Bearer ${await key()}` };
			const response = await fetch(this.#target, {
				method: 'POST',
				redirect: 'error',
				signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
				headers: { 'content-type': 'application/json', ...authorization },
				body: JSON.stringify({ model, input: inputs, encoding_format: 'float' }),
			});
			const text = await bodyOf(response);
			if (!response.ok) throw this.#failed(`it answered with status ${response.status}`);
			return vectorsIn(text, inputs.length);
		} catch (thrown) {
			if (OrchestraError.is(thrown)) throw thrown;
			const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
			if (isLate) throw this.#failed(`no answer within ${timeoutMs} ms`, 'timeout');
			const { cause } = thrown instanceof Error ? thrown : {};
			throw this.#failed(messageOf(cause ?? thrown));
		}
	}

	#failed(reason: string, code: 'io' | 'timeout' = 'io'): OrchestraError {
		return new OrchestraError(code, `the embeddings of ${this.origin} failed: ${reason}`, {
			hint: 'Check search.embeddings in the configuration, and that the endpoint runs.',
		});
	}
}

async function bodyOf({ body }: Response): Promise<string> {
	const bytes = body && (await readBytes(Readable.fromWeb(body), EMBEDDING_ANSWER_LIMIT_BYTES));
	if (bytes === undefined) throw wrongAnswer(`has more than ${EMBEDDING_ANSWER_LIMIT_BYTES} bytes`);
	return bytes?.toString('utf8') ?? '';
}

/** The vectors of an answer, in the order of the inputs. Throws `bad_input` for anything else. */
export function vectorsIn(text: string, count: number): Float32Array[] {
	const answer = parsed(text);
	const data = isObject(answer) ? answer['data'] : undefined;
	if (!Array.isArray(data)) throw wrongAnswer('has no list "data"');
	if (data.length !== count) throw wrongAnswer(`has ${data.length} vectors for ${count} texts`);
	const vectors: Float32Array[] = [];
	for (const [at, entry] of data.entries()) {
		const { index = at, embedding } = isObject(entry) ? entry : {};
		if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
			throw wrongAnswer(`has a vector for text ${JSON.stringify(index)}`);
		if (vectors[index]) throw wrongAnswer(`has two vectors for text ${index}`);
		vectors[index] = vectorOf(embedding, vectors.find(Boolean)?.length);
	}
	return vectors;
}

function vectorOf(numbers: unknown, dimensions: number | undefined): Float32Array {
	if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > DIMENSIONS_LIMIT)
		throw wrongAnswer(`has a vector that is no list of 1 to ${DIMENSIONS_LIMIT} numbers`);
	if (dimensions !== undefined && numbers.length !== dimensions)
		throw wrongAnswer(`has vectors of ${dimensions} and of ${numbers.length} dimensions`);
	const vector = Float32Array.from(numbers, (value) => (typeof value === 'number' ? value : Number.NaN));
	if (!vector.every(Number.isFinite)) throw wrongAnswer('has a vector with values that are no numbers');
	if (!toUnit(vector, 0, vector.length) || !vector.every(Number.isFinite))
		throw wrongAnswer('has a vector without a direction');
	return vector;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw wrongAnswer('is not JSON');
	}
}

function wrongAnswer(problem: string): OrchestraError {
	return new OrchestraError('bad_input', `the answer of the embeddings endpoint ${problem}`, {
		hint: 'Check search.embeddings.url and model: the endpoint must have the form of OpenAI.',
	});
}
