/* Encode and decode requests and responses as frame payloads; the types of their kinds. */
import {
	create,
	type DescMessage,
	fromBinary,
	type MessageInitShape,
	type MessageShape,
	toBinary,
} from '@bufbuild/protobuf';
import { messageOf, OrchestraError } from '../errors.ts';
import { isDeeperThan } from '../files/value-bounds.ts';
import { FRAME_LIMIT_BYTES } from '../wire/wire-limits.ts';
import {
	type PluginRequest,
	PluginRequestSchema,
	type PluginResponse,
	PluginResponseSchema,
} from './gen/orchestra/plugin/v1/plugin_pb.ts';
import { NOT_FOUND_CODE } from './missing-file.ts';
import { PROTOBUF_VALUE_LEVELS } from './plugin-limits.ts';

export type RequestInit = MessageInitShape<typeof PluginRequestSchema>;
export type ResponseInit = MessageInitShape<typeof PluginResponseSchema>;

/** The kinds of a request and of a response, as the oneof of each names them. */
export type RequestKind = NonNullable<PluginRequest['request']['case']>;
export type ResponseKind = NonNullable<PluginResponse['response']['case']>;

/** The message of one kind of response. */
export type ResponseValue<K extends ResponseKind> = Extract<PluginResponse['response'], { case: K }>['value'];

/** Throws `bad_input` for values that are nested too deep, `bad_frame` for a request that is too large for a frame: the peer would end the whole stream. */
export function encodePluginRequest(request: RequestInit): Uint8Array {
	return encoded(PluginRequestSchema, request, request.request?.case);
}

/** Throws `bad_input` for values that are nested too deep, `bad_frame` for a response that is too large for a frame. */
export function encodeResponse(response: ResponseInit): Uint8Array {
	return encoded(PluginResponseSchema, response, response.response?.case);
}

/** Throws `bad_frame` for bytes that are not a request. */
export function decodeRequest(payload: Uint8Array): PluginRequest {
	return decoded(PluginRequestSchema, payload, 'request');
}

/** Throws `bad_frame` for bytes that are not a response. */
export function decodeResponse(payload: Uint8Array): PluginResponse {
	return decoded(PluginResponseSchema, payload, 'response');
}

/** The value of a response of the expected kind. Throws the error of the peer otherwise. */
export function expectKind<K extends ResponseKind>(response: PluginResponse, kind: K): ResponseValue<K> {
	const { case: found, value } = response.response;
	// The compiler cannot tie the case to the value through a type parameter.
	if (found === kind) return value as ResponseValue<K>;
	if (found === 'toolCall' && !value.success) {
		throw new OrchestraError(
			value.errorCode === NOT_FOUND_CODE ? 'not_found' : 'tool_failed',
			value.errorMessage || `the peer responded with the error ${value.errorCode}`,
			{
				data: { code: value.errorCode },
			},
		);
	}
	throw new OrchestraError('bad_frame', `the peer responded with ${found ?? 'nothing'} instead of ${kind}`, {
		data: { code: 'invalid_response', outcome: 'ran' },
	});
}

function encoded<S extends DescMessage>(schema: S, init: MessageInitShape<S>, kind = 'empty'): Uint8Array {
	checkNesting(init);
	const payload = toBinary(schema, create(schema, init));
	const { length: bytes } = payload;
	if (bytes <= FRAME_LIMIT_BYTES) return payload;
	throw new OrchestraError(
		'bad_frame',
		`the ${kind} message is ${bytes} bytes long, over the limit of ${FRAME_LIMIT_BYTES} bytes of a frame`,
		{
			hint: 'Send less at once, or split it.',
			data: { code: 'too_large', bytes, limitBytes: FRAME_LIMIT_BYTES },
		},
	);
}

function decoded<S extends DescMessage>(schema: S, payload: Uint8Array, what: string): MessageShape<S> {
	try {
		return fromBinary(schema, payload, { recursionLimit: RECURSION_LIMIT });
	} catch (cause) {
		const message = `a frame of ${payload.length} bytes is not a plugin ${what}: ${messageOf(cause)}`;
		throw new OrchestraError('bad_frame', message, { cause });
	}
}

/*
 * A Struct needs two or three Protobuf messages per level, and every decoder has a
 * limit: 10,000 messages in Go, 100 by default in most others. A peer that fails in the
 * middle of a frame can only reset the stream, so the sender checks first and only the
 * one call fails.
 */

/** The envelope of a message: the request and the value of its kind. */
const ENVELOPE_LEVELS = 3;

/** How deep the decoder follows messages inside each other, the envelope included. */
const RECURSION_LIMIT: number = (PROTOBUF_VALUE_LEVELS + ENVELOPE_LEVELS) * 3;

/** Throws `bad_input` when something in a message is nested too deep. */
function checkNesting(message: object): void {
	if (isDeeperThan(message, PROTOBUF_VALUE_LEVELS + ENVELOPE_LEVELS + 1)) {
		throw new OrchestraError('bad_input', `a value is nested deeper than ${PROTOBUF_VALUE_LEVELS} levels`, {
			hint: 'Flatten it, or pass the deep part as a string of JSON.',
			data: { code: 'validation_error', limit: PROTOBUF_VALUE_LEVELS },
		});
	}
}
