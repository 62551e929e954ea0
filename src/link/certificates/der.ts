/*
 * A minimal DER encoder and reader for certificates.
 *
 * A certificate is a dozen nested values; a library for it would add eleven packages.
 * `node:crypto` parses certificates, except for two values that must be copied byte
 * for byte, and no signatures in the form of PKCS#7. What is read may be hostile: a length
 * never reaches beyond the bytes that are there.
 */
import { OrchestraError } from '../../errors.ts';

export type Der = Buffer;

const SHORT_LENGTH = 0x80;
/** Bytes of a length; more are not needed for what fits into memory. */
const LENGTH_DIGITS = 4;

/** One value: tag, length, content. */
export function der(tag: number, ...content: Uint8Array[]): Der {
	const body = Buffer.concat(content);
	return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

export const sequence = (...items: Der[]): Der => der(0x30, ...items);
export const set = (...items: Der[]): Der => der(0x31, ...items);
export const octets = (bytes: Uint8Array): Der => der(0x04, bytes);
export const utf8 = (text: string): Der => der(0x0c, Buffer.from(text));
export const truth = (value: boolean): Der => der(0x01, Buffer.from([value ? 0xff : 0]));

/** A bit string; `unused` low bits of the last byte do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Der => der(0x03, Buffer.from([unused]), bytes);

/** An explicitly tagged value, `[number]` in the notation of the standard. */
export const tagged = (number: number, item: Der): Der => der(0xa0 + number, item);

/** A value whose type is replaced by the tag `[number]`. */
export const implicit = (number: number, bytes: Uint8Array): Der => der(0x80 + number, bytes);

/** A positive integer from its bytes, most significant first. */
export function integer(bytes: Uint8Array): Der {
	const first = bytes.findIndex((byte) => byte !== 0);
	const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
	const isHighBitSet = ((digits[0] ?? 0) & 0x80) !== 0;
	return der(0x02, Buffer.from(isHighBitSet ? [0] : []), digits);
}

/** An object identifier such as `2.5.4.3`. */
export function oid(text: string): Der {
	const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
	return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time before the year 2050, to the second. */
export function utcTime(date: Date): Der {
	const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
	return der(0x17, Buffer.from(`${digits}Z`));
}

/** The content of the value at the start of `bytes`. Throws `bad_input` when it does not end within them. */
export function contentOf(bytes: Buffer): Buffer {
	const { start, end } = extentOf(bytes, 0);
	return bytes.subarray(start, end);
}

/** The consecutive values in `bytes`. Throws `bad_input` when one does not end within them. */
export function itemsOf(bytes: Buffer): Der[] {
	const items: Der[] = [];
	for (let at = 0; at < bytes.length; ) {
		const { end } = extentOf(bytes, at);
		items.push(bytes.subarray(at, end));
		at = end;
	}
	return items;
}

/** Tags of one byte and definite lengths; DER has no others here. */
function extentOf(bytes: Buffer, at: number): { start: number; end: number } {
	const first = bytes[at + 1] ?? 0;
	const digits = first < SHORT_LENGTH ? 0 : first - SHORT_LENGTH;
	const start = at + 2 + digits;
	const isReadable = first !== SHORT_LENGTH && digits <= LENGTH_DIGITS && start <= bytes.length;
	const size = digits === 0 || !isReadable ? first : bytes.readUIntBE(at + 2, digits);
	const end = start + size;
	if (isReadable && end <= bytes.length) return { start, end };
	throw new OrchestraError(
		'bad_input',
		`the certificate or signature cannot be read: the value at byte ${at} of ${bytes.length} does not end`,
		{ hint: 'It was cut or changed; get it again from where it came from.' },
	);
}

function base128(value: number): number[] {
	const digits = [value % 128];
	for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
		digits.unshift((rest % 128) + 128);
	return digits;
}

function lengthOf(size: number): Buffer {
	if (size < SHORT_LENGTH) return Buffer.from([size]);
	const digits: number[] = [];
	for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
	return Buffer.from([SHORT_LENGTH + digits.length, ...digits]);
}
