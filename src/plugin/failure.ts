/* A handler threw: say it in the way that the answer of this kind can carry. */
import { OrchestraError } from '../errors.ts';
import type { RequestKind, ResponseInit } from './codec.ts';

type Response = NonNullable<ResponseInit['response']>;

/** The code that travels: the tool's own where it gave one. */
export function failureCode(thrown: unknown): string {
	const code = OrchestraError.is(thrown) ? thrown.data['code'] : undefined;
	return typeof code === 'string' ? code : 'handler_error';
}

/**
 * Most answers have a place for an error. Those that have none get the envelope of a failed tool
 * call, which every client takes for an error when it asked for something else.
 */
export function failedResponse(kind: RequestKind, thrown: unknown): Response {
	const { message } = OrchestraError.from(thrown);
	if (kind === 'register') return { case: kind, value: { accepted: false, rejectReason: message } };
	if (kind === 'boot') return { case: kind, value: { ready: false, error: message } };
	if (kind === 'shutdown') return { case: kind, value: { clean: false } };
	if (kind === 'storageWrite') return { case: kind, value: { success: false, error: message } };
	return errorResponse(failureCode(thrown), message);
}

export function errorResponse(errorCode: string, errorMessage: string): Response {
	return { case: 'toolCall', value: { success: false, errorCode, errorMessage } };
}
