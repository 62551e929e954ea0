/*
 * A minimal Protobuf codec for the two messages that a bridge needs to start: the
 * registration and the tunnel message. The generated code, used for everything else,
 * takes longer to load than the rest of a bridge.
 */
import { OrchestraError } from '../errors.ts';

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** One field: bytes for strings and messages, a number for integers and booleans. */
export type FieldValue = Uint8Array | number;

const NO_BYTES = new Uint8Array(0);

/** A field with a string, bytes or a message, after the fields in `before`. The value is copied once. */
export function bytesField(
	number: number,
	value: string | Uint8Array,
	before: Uint8Array = NO_BYTES,
): Uint8Array {
	const tag = number * 8 + BYTES;
	const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
	const all = Buffer.allocUnsafe(before.length + varintBytes(tag) + varintBytes(size) + size);
	all.set(before);
	const at = writeVarint(all, writeVarint(all, before.length, tag), size);
	if (typeof value === 'string') all.write(value, at);
	else all.set(value, at);
	return all;
}

/** Concatenate fields to a message. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
	return Buffer.concat(parts);
}

/** Visit every field of a message, in order. Throws `bad_frame` for invalid bytes. */
export function eachField(message: Uint8Array, visit: (number: number, value: FieldValue) => void): void {
	const cursor = { message, at: 0 };
	while (cursor.at < message.length) {
		const tag = readVarint(cursor);
		const value = readValue(cursor, tag % 8);
		if (cursor.at > message.length) throw damaged(message);
		visit(Math.floor(tag / 8), value);
	}
}

interface Cursor {
	readonly message: Uint8Array;
	at: number;
}

function readValue(cursor: Cursor, wireType: number): FieldValue {
	if (wireType === VARINT) return readVarint(cursor);
	const size = wireType === BYTES ? readVarint(cursor) : sizes[wireType];
	if (size === undefined) throw damaged(cursor.message);
	const start = cursor.at;
	cursor.at += size;
	return cursor.message.subarray(start, cursor.at);
}

const sizes: Readonly<Record<number, number>> = { [FIXED_64]: 8, [FIXED_32]: 4 };

/** Exact up to 2^53, which no length or field number reaches. */
function readVarint(cursor: Cursor): number {
	let value = 0;
	for (let scale = 1; ; scale *= 128) {
		const byte = cursor.message[cursor.at++];
		if (byte === undefined || scale > 2 ** 63) throw damaged(cursor.message);
		value += (byte % 128) * scale;
		if (byte < 128) return value;
	}
}

function varintBytes(value: number): number {
	let count = 1;
	for (let rest = value; rest >= 128; rest /= 128) count++;
	return count;
}

/** Returns the next offset. */
function writeVarint(into: Uint8Array, start: number, value: number): number {
	let at = start;
	let rest = value;
	for (; rest >= 128; rest = Math.floor(rest / 128)) into[at++] = (rest % 128) + 128;
	into[at++] = rest;
	return at;
}

function damaged(message: Uint8Array): OrchestraError {
	return new OrchestraError('bad_frame', `a frame of ${message.length} bytes is not a Protobuf message`);
}
