/*
 * Error responses that the bridge sends itself when there is no hub: one for each
 * request, alone or in a batch.
 */
import type { OrchestraError } from '../errors.ts';
import { SUBSCRIPTION_ID } from '../protocol/meta.ts';
import { oversizeMessage } from '../rpc/calls/message-errors.ts';
import { encodeError, encodeResult, type Id, rpcCodes } from '../wire/json-rpc.ts';
import { JsonText } from '../wire/json-text.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { messageOutline } from '../wire/message-outline.ts';
import type { Head } from './message-head.ts';

/** The error message for a call that was in flight when the connection was lost. */
export function lostMessage(reason: OrchestraError): string {
	return `the connection to the orchestrator was lost: ${reason.message}; outcome unknown`;
}

/** Responses to every request in flight; those of a batch are one array. */
export function responsesToLost(
	requests: readonly (readonly [id: Id, request: { readonly batch: object | undefined }])[],
	reason: OrchestraError,
): string[] {
	const batches = new Map<object, string[]>();
	const responses: string[] = [];
	const data = {
		code: reason.code,
		outcome: 'unknown',
		hint: 'Find out whether the call took effect before you repeat it.',
	};
	for (const [id, { batch }] of requests) {
		const response = encodeError(id, { code: rpcCodes.internal, message: lostMessage(reason), data });
		if (batch === undefined) responses.push(response);
		else batches.set(batch, [...(batches.get(batch) ?? []), response]);
	}
	return [...responses, ...[...batches.values()].map(inBatch)];
}

/** The response to a message that was never sent; undefined when it needs none. */
export function responseToUnsent(head: Head, reason: OrchestraError): string | undefined {
	if (head.kind === 'request') return unreachable(head.id, reason);
	if (head.kind !== 'batch') return undefined;
	const responses = head.parts.flatMap((part) => {
		if (part.kind === 'invalid') return [responseToInvalid(part, null)];
		return part.kind === 'request' ? [unreachable(part.id, reason)] : [];
	});
	return responses.length === 0 ? undefined : inBatch(responses);
}

/** The response to an invalid message. @param unknownId used when the id is unknown */
export function responseToInvalid(
	{ id, error }: Head & { kind: 'invalid' },
	unknownId: null | undefined,
): string {
	return encodeError(id ?? unknownId, error);
}

/** The response to a subscription that the bridge ends. */
export function subscriptionEnd(id: string): string {
	return encodeResult(id, { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: new JsonText(id) } });
}

/** The response to an oversize line; undefined when the line was itself a response. */
export function responseToOversize(
	{ head, tail, limitBytes }: OversizeLine,
	unknownId: null | undefined,
): string | undefined {
	const { id, kind } = messageOutline(head, tail);
	if (kind === 'result' || kind === 'error') return undefined;
	const { message } = oversizeMessage(limitBytes);
	return encodeError(id ?? unknownId, { code: rpcCodes.invalidRequest, message });
}

function unreachable(id: Id, { code, message, hint }: OrchestraError): string {
	return encodeError(id, {
		code: rpcCodes.internal,
		message: `the orchestrator cannot be reached: ${message}; the request was not sent`,
		data: { code, outcome: 'not_run', hint },
	});
}

function inBatch(responses: readonly string[]): string {
	return `[${responses.join(',')}]`;
}
