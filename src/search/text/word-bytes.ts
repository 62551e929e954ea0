/*
 * Classify the bytes of a UTF-8 text for splitting it into words. Most words are
 * ASCII letters and digits, for which one byte is enough; the functions here also
 * handle the other characters.
 */

/** Bytes from here on are parts of characters that are not ASCII. */
export const BEYOND_ASCII = 0x80;
const PLUS = 0x2b;
const SHARP = 0x23;

/** Lower-case code of each byte that is part of an ASCII word, else 0. */
export const letters: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
	const character = String.fromCharCode(code).toLowerCase();
	return /^[a-z0-9]$/.test(character) ? character.charCodeAt(0) : 0;
});

/** True where a word may go on behind its letters: the marks of c++ and c#, and what is not ASCII. */
export function continuesWord(bytes: Uint8Array, at: number): boolean {
	const byte = bytes[at] ?? 0;
	if (byte < BEYOND_ASCII) return byte === PLUS || byte === SHARP;
	return !isPunctuation(bytes, at);
}

/** Dashes, curly quotes and the like, U+2000 to U+206F: three bytes that are part of no word. */
export function isPunctuation(bytes: Uint8Array, at: number): boolean {
	if (bytes[at] !== 0xe2) return false;
	const second = bytes[at + 1] ?? 0;
	return second === 0x80 || (second === 0x81 && (bytes[at + 2] ?? 0) < 0xb0);
}

/** 1 for each byte of a character that is one more than its length in a string; a pair has two. */
export function extraByte(byte: number): number {
	if (byte >= 0xf0) return -1;
	return (byte & 0xc0) === 0x80 ? 1 : 0;
}

/** True for `camelCase`: a small letter before a capital. */
export function hasHump(bytes: Uint8Array, start: number, end: number): boolean {
	for (let at = start + 1; at < end; at++) {
		const isSmall = (bytes[at - 1] ?? 0) >= 0x61;
		const raw = bytes[at] ?? 0;
		if (isSmall && raw >= 0x41 && raw <= 0x5a) return true;
	}
	return false;
}
