import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import {
	decodeRequest,
	decodeResponse,
	encodePluginRequest,
	encodeResponse,
	expectKind,
	type RequestInit,
	type ResponseInit,
} from '../../src/plugin/codec.ts';
import { HealthResult_Status } from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { encodeFrame } from '../../src/wire/frame.ts';

const requests: [string, RequestInit, string][] = [
	[
		'list_tools',
		{ requestId: 'stdio-lt-2', request: { case: 'listTools', value: {} } },
		'0000000f0a0a737464696f2d6c742d32aa0100',
	],
	[
		'tool_call',
		{
			requestId: 'stdio-tc-3',
			request: {
				case: 'toolCall',
				value: { toolName: 'create_project', arguments: { name: 'My App' }, callerPlugin: 'transport.stdio' },
			},
		},
		'000000440a0a737464696f2d74632d33a201350a0e6372656174655f70726f6a65637412120a100a046e616d6512081a064d79204170701a0f7472616e73706f72742e737464696f',
	],
	['health', { requestId: 'h1', request: { case: 'health', value: {} } }, '000000060a0268316a00'],
];

const responses: [string, ResponseInit, string][] = [
	[
		'a failed tool_call',
		{ requestId: 'r1', response: { case: 'toolCall', value: { errorCode: 'validation_error' } } },
		'000000190a027231a201121a1076616c69646174696f6e5f6572726f72',
	],
	[
		'health',
		{
			requestId: 'h1',
			response: { case: 'health', value: { status: HealthResult_Status.HEALTHY, message: 'ok' } },
		},
		'0000000c0a0268316a06080112026f6b',
	],
	[
		'boot',
		{ requestId: 'b1', response: { case: 'boot', value: { ready: true } } },
		'000000080a0262315a020801',
	],
];

describe('the frames of orchestra.plugin.v1', () => {
	it.each(requests)('match byte for byte for the request %s', (_kind, request, hex) => {
		const payload = encodePluginRequest(request);
		expect(Buffer.from(encodeFrame(payload)).toString('hex')).toBe(hex);
		expect(encodePluginRequest(decodeRequest(payload))).toEqual(payload);
	});

	it.each(responses)('match byte for byte for the response %s', (_kind, response, hex) => {
		const payload = encodeResponse(response);
		expect(Buffer.from(encodeFrame(payload)).toString('hex')).toBe(hex);
		expect(encodeResponse(decodeResponse(payload))).toEqual(payload);
	});

	it('are read, or refused as bad_frame, whatever the bytes are', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
				for (const decode of [decodeRequest, decodeResponse]) {
					try {
						decode(bytes);
					} catch (error) {
						expect(OrchestraError.is(error, 'bad_frame')).toBe(true);
					}
				}
			}),
		);
	});
});

describe('an answer of another kind', () => {
	it('is the error that the peer said', () => {
		const failed = decodeResponse(
			encodeResponse({
				response: { case: 'toolCall', value: { errorCode: 'routing_error', errorMessage: 'no way' } },
			}),
		);
		expect(() => expectKind(failed, 'listTools')).toThrowError('no way');
		expect(() => expectKind(decodeResponse(new Uint8Array(0)), 'boot')).toThrowError(
			/nothing instead of boot/,
		);
	});
});
