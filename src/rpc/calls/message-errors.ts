/* Errors of calls and messages that several layers report. Their texts are part of the API. */
import { messageOf, OrchestraError, type RequestOutcome } from '../../errors.ts';

/** The error of a call, or of `what` it does, that was canceled for `reason`. */
export function canceledCall(what: string, reason: unknown, outcome?: RequestOutcome): OrchestraError {
	const data = outcome && { outcome };
	return new OrchestraError('canceled', `${what} was canceled`, { cause: reason, data });
}

/** Encode a message; a value that is not JSON is the caller's error. */
export function serialize(encode: () => string): string {
	try {
		return encode();
	} catch (cause) {
		throw new OrchestraError('bad_input', `failed to serialize request: ${messageOf(cause)}`, { cause });
	}
}

/** A message of the peer that is not JSON. */
export function parseFailure(text: string, cause: unknown): OrchestraError {
	return new OrchestraError('parse', `failed to parse response: ${messageOf(cause)}`, {
		cause,
		data: { text },
	});
}

/** A message of the peer that is too long. */
export function oversizeMessage(limitBytes: number): OrchestraError {
	return new OrchestraError('bad_frame', `message is longer than the limit of ${limitBytes} bytes`, {
		hint: 'Raise `limitBytes`, or send the data as a resource link.',
		data: { limitBytes },
	});
}

/** A response that is above the bound of its request. */
export function tooLongResponse(characters: number, limitCharacters: number): OrchestraError {
	const message = `the response has ${characters} characters; this request takes at most ${limitCharacters}`;
	return new OrchestraError('bad_frame', message, {
		hint: 'The other side must send less, or send it in pages.',
		data: { characters, limitCharacters, outcome: 'ran' },
	});
}
