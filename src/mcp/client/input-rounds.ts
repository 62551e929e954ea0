/*
 * A call to a modern server that asks for input: answer its client requests and call again,
 * until it is complete. Each round is a new request with the same params, the answers,
 * and the `requestState` exactly as it came. One total deadline covers all rounds.
 */
import { OrchestraError } from '../../errors.ts';
import { type InputRequired, isInputRequired, type Result } from '../../protocol/mcp-types.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { pause } from '../../rpc/clock.ts';
import { isObject } from '../../wire/json.ts';
import { CLIENT_REQUESTS_LIMIT, INPUT_ROUNDS_LIMIT, RETRY_FIRST_MS, RETRY_MAX_MS } from '../mcp-limits.ts';
import { brokenProtocol } from './phase-error.ts';

export interface InputRounds {
	readonly method: string;
	readonly params: Result;
	/** Sends one request. */
	readonly request: (params: Result) => Promise<Result>;
	/** Answers one client request. */
	readonly answer: (method: string, params: unknown, signal: AbortSignal) => Promise<object>;
	/** Ends the waits between two requests. */
	readonly signal: AbortSignal;
}

/** The complete result of a call. */
export async function completeCall(rounds: InputRounds): Promise<Result> {
	const backoff = new Backoff(RETRY_FIRST_MS, RETRY_MAX_MS);
	let result = await rounds.request(rounds.params);
	for (let round = 1; isInputRequired(result); round++) {
		if (round > INPUT_ROUNDS_LIMIT) throw tooManyRounds(rounds.method);
		const { requestState } = result;
		const inputResponses = await answersTo(result, rounds);
		if (inputResponses === undefined) await pause(backoff.nextMs(), rounds.signal);
		result = await rounds.request({
			...rounds.params,
			...(inputResponses && { inputResponses }),
			...(requestState !== undefined && { requestState }),
		});
	}
	return assertComplete(result, rounds.method);
}

/** The answers to the client requests of a result; undefined when it has none. */
async function answersTo(
	{ inputRequests, requestState }: InputRequired,
	{ method, answer, signal }: InputRounds,
): Promise<Result | undefined> {
	if (inputRequests === undefined && typeof requestState === 'string') return undefined;
	if (!isObject(inputRequests))
		throw badResult(`the result of ${method} asks for input but has no inputRequests`);
	const requests = Object.entries(inputRequests);
	if (requests.length > CLIENT_REQUESTS_LIMIT)
		throw badResult(
			`the result of ${method} has ${requests.length} client requests; ${CLIENT_REQUESTS_LIMIT} are allowed`,
		);
	const answers: [string, object][] = [];
	// One after another: the answers may come from one user.
	for (const [key, request] of requests) {
		if (!isObject(request) || typeof request['method'] !== 'string')
			throw badResult(`the client request "${key}" in the result of ${method} has no method`);
		answers.push([key, await answer(request['method'], request['params'], signal)]);
	}
	return Object.fromEntries(answers);
}

/** An unknown `resultType` makes a result invalid; a result without one is complete. */
function assertComplete(result: Result, method: string): Result {
	const { resultType = 'complete' } = result;
	if (resultType === 'complete') return result;
	throw badResult(`the result of ${method} has the unknown type ${JSON.stringify(resultType)}`);
}

function tooManyRounds(method: string): OrchestraError {
	return new OrchestraError(
		'bad_frame',
		`${method} still asks for input after ${INPUT_ROUNDS_LIMIT} rounds`,
		{ hint: 'The server may not read the answers. Report this to its author.', data: { phase: 'call' } },
	);
}

function badResult(message: string): OrchestraError {
	return brokenProtocol(message, { phase: 'call' });
}
