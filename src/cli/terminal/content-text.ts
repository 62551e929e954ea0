/* Content blocks of MCP as text: what can be read is shown, the rest is described with its size. */
import { isObject } from '../../wire/json.ts';
import { byteSize } from './quantity.ts';

/** Bytes inside of a result. */
export interface BinaryContent {
	/** `image`, `audio` or `file`. */
	readonly what: string;
	readonly mimeType: string;
	readonly bytes: Buffer;
}

/** One block, on as many lines as it takes. */
export function contentText(block: unknown): string {
	if (!isObject(block)) return JSON.stringify(block);
	if (typeof block['text'] === 'string') return block['text'];
	const binary = binaryOf(block);
	if (binary) return describeBinary(binary, uriOf(block));
	if (block['type'] === 'resource_link') return linkText(block);
	const { resource } = block;
	if (isObject(resource)) return contentText(resource);
	return JSON.stringify(block, null, 2);
}

/** The bytes of an image, audio or file; undefined for any other block. */
export function binaryOf(block: unknown): BinaryContent | undefined {
	if (!isObject(block)) return undefined;
	const { type, data, blob, mimeType, resource } = block;
	if (isObject(resource)) return binaryOf(resource);
	const encoded = [data, blob].find((each): each is string => typeof each === 'string');
	if (encoded === undefined) return undefined;
	return {
		what: typeof type === 'string' && typeof data === 'string' ? type : 'file',
		mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream',
		bytes: Buffer.from(encoded, 'base64'),
	};
}

function describeBinary({ what, mimeType, bytes }: BinaryContent, uri: string): string {
	return `[${what} ${mimeType}, ${byteSize(bytes.length)}${uri && `, ${uri}`}]`;
}

function uriOf({ uri, resource }: Record<string, unknown>): string {
	if (typeof uri === 'string') return uri;
	return isObject(resource) && typeof resource['uri'] === 'string' ? resource['uri'] : '';
}

function linkText({ uri, name, title, mimeType, size }: Record<string, unknown>): string {
	const about = [title ?? name, mimeType, typeof size === 'number' ? byteSize(size) : undefined];
	const shown = about.filter((each) => typeof each === 'string' && each !== '');
	return `→ ${String(uri)}${shown.length > 0 ? `  ${shown.join(', ')}` : ''}`;
}
