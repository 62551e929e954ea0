/* Requests to the hub that served this page, and nothing else. */
import type { ApiError, ApiFailure } from '../../api/api-types.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** A request that failed, with the code and the hint of the hub. */
export class RequestError extends Error {
	readonly error: ApiError;

	constructor(error: ApiError) {
		super(error.message);
		this.error = error;
	}

	/** Any thrown value as an error of the API. */
	static describe(thrown: unknown): ApiError {
		if (thrown instanceof RequestError) return thrown.error;
		if (thrown instanceof DOMException && thrown.name === 'AbortError')
			return { code: 'canceled', message: 'You canceled the request.' };
		return {
			code: 'unreachable',
			message: 'The hub did not answer.',
			hint: 'If it was stopped, start it and sign in with `mctl dashboard`.',
		};
	}
}

export class ApiClient {
	/** Called when the hub no longer knows the session of this page. */
	readonly #onSignedOut: () => void;

	constructor(onSignedOut: () => void) {
		this.#onSignedOut = onSignedOut;
	}

	async get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
		const response = await fetch(pathWith(path, query), { signal: signal ?? null });
		// The hub sends this type.
		return (await this.#checked(response)).json() as Promise<T>;
	}

	async post<T>(path: string, body: object): Promise<T> {
		return (await this.#checked(await fetch(path, postInit(body)))).json() as Promise<T>;
	}

	/** The messages of a streamed reply. Aborting ends the stream, and the hub cancels the call. */
	async *stream<T>(path: string, body: object | undefined, signal: AbortSignal): AsyncGenerator<T> {
		const response = await fetch(path, { ...(body ? postInit(body) : {}), signal });
		const { body: bytes } = await this.#checked(response);
		if (bytes) yield* readJsonLines<T>(bytes);
	}

	async #checked(response: Response): Promise<Response> {
		if (response.ok) return response;
		if (response.status === 401) this.#onSignedOut();
		throw new RequestError(await failureOf(response));
	}
}

/** A path with the parameters that have a value. */
export function pathWith(path: string, query: Query): string {
	const parameters = new URLSearchParams();
	for (const [name, value] of Object.entries(query))
		if (value !== undefined && value !== '') parameters.set(name, String(value));
	const text = parameters.toString();
	return text === '' ? path : `${path}?${text}`;
}

function postInit(body: object): RequestInit {
	return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function failureOf(response: Response): Promise<ApiError> {
	try {
		const { error } = (await response.json()) as ApiFailure;
		return { ...error, message: error.message ?? error.code };
	} catch {
		// A proxy or an older hub may answer without our body.
		return { code: `http_${response.status}`, message: `The hub answered with status ${response.status}.` };
	}
}

/** One JSON value per line from a stream of bytes. Chunks are joined once per line. */
async function* readJsonLines<T>(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<T> {
	const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
	let pending: string[] = [];
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			const [first = '', ...rest] = value.split('\n');
			pending.push(first);
			for (const next of rest) {
				const line = pending.join('');
				pending = [next];
				if (line !== '') yield JSON.parse(line);
			}
		}
		const last = pending.join('');
		if (last !== '') yield JSON.parse(last);
	} finally {
		await reader.cancel().catch(() => {}); // the stream may have failed already
	}
}
