/*
 * Content for clients of older revisions.
 *
 * A block of a type that the client's revision does not know would make its
 * parser refuse the whole result, so it is told in words instead.
 */
import type { ContentBlock } from './types.ts';

/** A `resource_link`, new in 2025-06-18, as text. */
export function linkAsText(block: ContentBlock): ContentBlock {
	if (block.type !== 'resource_link') return block;
	const { name, title, uri, description } = block;
	const label = [title ?? name, description].filter((part) => typeof part === 'string').join(': ');
	return { type: 'text', text: label === '' ? String(uri) : `${label} (${String(uri)})` };
}

/** `audio`, new in 2025-03-26, as an embedded resource that older clients can keep. */
export function audioAsResource(block: ContentBlock): ContentBlock {
	if (block.type !== 'audio') return block;
	const { data, mimeType } = block;
	return { type: 'resource', resource: { uri: 'data:audio', mimeType, blob: data } };
}
