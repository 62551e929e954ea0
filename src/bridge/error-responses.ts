/*
 * Error responses that the bridge sends itself when there is no hub: one for each
 * request, alone or in a batch.
 */
import type { OrchestraError } from '../errors.ts';
import { SUBSCRIPTION_ID } from '../protocol/meta.ts';
import { oversizeMessage } from '../rpc/calls/message-errors.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { messageOutline } from '../wire/message-outline.ts';
import type { InFlightRequest } from './in-flight-requests.ts';
import type { Head } from './message-head.ts';

/** The error message for a call that was in flight when the connection was lost. */
export function lostMessage(reason: OrchestraError): string {
	return `the connection to the orchestrator was lost: ${reason.message}; outcome unknown`;
}

/** Responses to every request in flight; those of a batch are one array. */
export function responsesToLost(
	requests: [id: string, request: InFlightRequest][],
	reason: OrchestraError,
): string[] {
	const batches = new Map<object, string[]>();
	const responses: string[] = [];
	for (const [id, { batch }] of requests) {
		const response = errorText(id, rpcCodes.internal, lostMessage(reason), {
			code: reason.code,
			outcome: 'unknown',
			hint: 'Find out whether the call took effect before you repeat it.',
		});
		if (batch === undefined) responses.push(response);
		else batches.set(batch, [...(batches.get(batch) ?? []), response]);
	}
	return [...responses, ...[...batches.values()].map((parts) => `[${parts.join(',')}]`)];
}

/** The response to a message that was never sent; undefined when it needs none. */
export function responseToUnsent(head: Head, reason: OrchestraError): string | undefined {
	if (head.kind === 'request') return unreachable(head.id, reason);
	if (head.kind !== 'batch') return undefined;
	const parts = head.parts.flatMap((part) => {
		if (part.kind === 'invalid') return [responseToInvalid(part, 'null')];
		return part.kind === 'request' ? [unreachable(part.id, reason)] : [];
	});
	return parts.length === 0 ? undefined : `[${parts.join(',')}]`;
}

/** The response to an invalid message. @param unknownId used when the id is unknown */
export function responseToInvalid({ id, error }: Head & { kind: 'invalid' }, unknownId: string): string {
	return errorText(id === '' ? unknownId : id, error.code, error.message);
}

/** The response to a subscription that the bridge ends. */
export function subscriptionEnd(id: string): string {
	const _meta = `{"${SUBSCRIPTION_ID}":${id}}`;
	return `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","_meta":${_meta}}}`;
}

/** The response to an oversize line; undefined when the line was itself a response. */
export function responseToOversize(
	{ head, tail, limitBytes }: OversizeLine,
	unknownId: string,
): string | undefined {
	const { id = unknownId, kind } = messageOutline(head, tail);
	if (kind === 'result' || kind === 'error') return undefined;
	return errorText(id, rpcCodes.invalidRequest, oversizeMessage(limitBytes).message);
}

function unreachable(id: string, reason: OrchestraError): string {
	const message = `the orchestrator cannot be reached: ${reason.message}; the request was not sent`;
	const { code, hint } = reason;
	return errorText(id, rpcCodes.internal, message, { code, outcome: 'not_run', hint });
}

/** @param id the JSON text of the id; empty to leave it out */
function errorText(id: string, code: number, message: string, data?: unknown): string {
	const error = JSON.stringify({ code, message, data });
	return `{"jsonrpc":"2.0",${id === '' ? '' : `"id":${id},`}"error":${error}}`;
}
