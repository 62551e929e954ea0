/* What is written and read by hand, against the generated code. */
import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { decodeRequest, encodeResponse } from '../../src/plugin/codec.ts';
import {
	HealthResult_Status,
	PluginResponseSchema,
} from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { bytesField, eachField, type FieldValue, joined } from '../../src/plugin/protobuf-fields.ts';
import { readRegistration, registrationFrame } from '../../src/plugin/registration.ts';

const text = fc.string({ unit: 'grapheme' });

describe('a registration by hand', () => {
	it('is what the generated code reads', () => {
		fc.assert(
			fc.property(text, text, fc.array(text), fc.array(text), (id, version, transports, features) => {
				const manifest = { id, version, language: 'l', transports, description: 'd', features };
				const { request } = decodeRequest(registrationFrame(manifest));
				expect(request.case).toBe('register');
				const { providesTransport, ...value } = Object(request.value);
				expect(value).toMatchObject({ id, version, language: 'l', description: 'd', features });
				expect(providesTransport).toEqual(transports);
			}),
		);
	});

	it('reads the answer that the generated code writes', () => {
		fc.assert(
			fc.property(fc.boolean(), fc.array(text), text, (accepted, features, rejectReason) => {
				const value = { accepted, features, rejectReason };
				const frame = encodeResponse({ requestId: 'r', response: { case: 'register', value } });
				expect(readRegistration(frame)).toEqual({
					isAccepted: accepted,
					features: new Set(accepted ? features : []),
				});
			}),
		);
	});

	it('takes any other answer for a refusal', () => {
		const value = { success: false, errorCode: 'unknown_request' };
		const frame = encodeResponse({ requestId: 'r', response: { case: 'toolCall', value } });
		expect(readRegistration(frame)).toEqual({ isAccepted: false, features: new Set() });
	});
});

describe('eachField', () => {
	it('reads back what was written, whatever the size', () => {
		const field = fc.tuple(fc.integer({ min: 1, max: 536_870_911 }), fc.uint8Array({ maxLength: 300 }));
		fc.assert(
			fc.property(fc.array(field), (fields) => {
				const message = joined(fields.map(([number, value]) => bytesField(number, value)));
				expect(fieldsOf(new Uint8Array(message))).toEqual(fields);
			}),
		);
	});

	it('passes over fields of every kind', () => {
		const value = { status: HealthResult_Status.HEALTHY, message: 'ok', details: { a: 'b' } };
		const health = create(PluginResponseSchema, { requestId: 'h', response: { case: 'health', value } });
		expect(fieldsOf(toBinary(PluginResponseSchema, health)).map(([number]) => number)).toEqual([1, 13]);
		expect(fieldsOf(Uint8Array.of(0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4, 0x10, 5))).toHaveLength(3);
	});

	it('refuses bytes that are not a message, and never reads beyond them', () => {
		fc.assert(
			fc.property(fc.uint8Array(), (bytes) => {
				try {
					for (const [, value] of fieldsOf(bytes))
						expect(Number(Object(value).length ?? 0)).toBeLessThan(bytes.length);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_frame')).toBe(true);
				}
			}),
		);
		for (const bytes of [[0x0a, 5, 1], [0x0b], [0x80], Array.from({ length: 12 }, () => 0xff)]) {
			expect(() => fieldsOf(Uint8Array.from(bytes))).toThrow(/not a Protobuf message/);
		}
	});
});

function fieldsOf(message: Uint8Array): [number, FieldValue][] {
	const fields: [number, FieldValue][] = [];
	eachField(message, (number, value) => fields.push([number, value]));
	return fields;
}
