/* Convert the error of a handler into a response of its kind. */
import { OrchestraError } from '../../errors.ts';
import type { RequestKind, ResponseInit } from '../codec.ts';

type Response = NonNullable<ResponseInit['response']>;

/** The error code for the peer: that of the tool, if it set one. */
export function failureCode(thrown: unknown): string {
	const code = OrchestraError.is(thrown) ? thrown.data['code'] : undefined;
	return typeof code === 'string' ? code : 'handler_error';
}

/**
 * Kinds without an error field get the response of a failed tool call, which every client treats as an error
 * when it expected another kind.
 */
export function failedResponse(kind: RequestKind, thrown: unknown): Response {
	const { message } = OrchestraError.from(thrown);
	if (kind === 'register') return { case: kind, value: { accepted: false, rejectReason: message } };
	if (kind === 'boot') return { case: kind, value: { ready: false, error: message } };
	if (kind === 'shutdown') return { case: kind, value: { clean: false } };
	if (kind === 'storageDelete') return { case: kind, value: { success: false } };
	if (kind === 'storageWrite') return { case: kind, value: { success: false, error: message } };
	return errorResponse(failureCode(thrown), message);
}

export function errorResponse(errorCode: string, errorMessage: string): Response {
	return { case: 'toolCall', value: { success: false, errorCode, errorMessage } };
}
