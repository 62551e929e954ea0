/* Base64 of a server as bytes. */
import { attempt } from '../../../errors.ts';

/** Undefined when the text is not base64. */
export function base64Bytes(data: string): Uint8Array<ArrayBuffer> | undefined {
	return attempt(() => Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
}
