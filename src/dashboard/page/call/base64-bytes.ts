/* Base64 of a server as bytes. */

/** Undefined when the text is not base64. */
export function base64Bytes(data: string): Uint8Array<ArrayBuffer> | undefined {
	try {
		return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
	} catch {
		return undefined;
	}
}
