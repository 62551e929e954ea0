/*
 * The supported revisions of the specification and their differences.
 *
 * The first four begin with `initialize`. 2026-07-28 is stateless: version and
 * capabilities are part of every request, and the server sends no requests.
 */
import type { ContentBlock, McpLogLevel } from './mcp-types.ts';

/** One revision of the specification. */
export interface Revision {
	readonly version: string;
	/** Legacy revisions begin with `initialize`; modern requests carry their version. */
	readonly era: 'legacy' | 'modern';
	/** Whether JSON-RPC batches are allowed. */
	readonly acceptsBatch: boolean;
	/** The level of log messages for a client that has set none; undefined: it gets none. */
	readonly defaultLogLevel?: McpLogLevel;
	/** Converts a content block to a type that this revision has; undefined when it has all types. */
	readonly adaptContent?: (block: ContentBlock) => ContentBlock;
}

const newestLegacy: Revision = {
	version: '2025-11-25',
	era: 'legacy',
	acceptsBatch: false,
	defaultLogLevel: 'warning',
};
const modern: Revision = { version: '2026-07-28', era: 'modern', acceptsBatch: false };

/** Newest first. */
const revisions: readonly Revision[] = [
	modern,
	newestLegacy,
	// Removed batches; added structured content, resource links, titles and elicitation.
	{ version: '2025-06-18', era: 'legacy', acceptsBatch: false, defaultLogLevel: 'warning' },
	// The only revision with batches. Added audio; no resource links.
	{
		version: '2025-03-26',
		era: 'legacy',
		acceptsBatch: true,
		defaultLogLevel: 'warning',
		adaptContent: linkAsText,
	},
	// No audio, no resource links, no batches. Clients of its time hang on notifications that they do not read.
	{
		version: '2024-11-05',
		era: 'legacy',
		acceptsBatch: false,
		adaptContent: (block) => audioAsResource(linkAsText(block)),
	},
];

/** All supported versions, newest first. */
export const supportedVersions: readonly string[] = revisions.map(({ version }) => version);

/** The versions that need no `initialize`. */
export const modernVersions: readonly string[] = [modern.version];

/** The revision that `initialize` with this version opens: the same when it is a legacy one, else the newest legacy revision. */
export function negotiate(version: unknown): Revision {
	const requested = revisions.find((revision) => revision.era === 'legacy' && revision.version === version);
	return requested ?? newestLegacy;
}

/** The modern revision with this version; undefined when there is none. */
export function modernRevision(version: unknown): Revision | undefined {
	return version === modern.version ? modern : undefined;
}

/** A `resource_link`, new in 2025-06-18, as text. */
function linkAsText(block: ContentBlock): ContentBlock {
	if (block.type !== 'resource_link') return block;
	const { name, title, uri, description } = block;
	const label = [title ?? name, description].filter((part) => typeof part === 'string').join(': ');
	return { type: 'text', text: label === '' ? uri : `${label} (${uri})` };
}

/** `audio`, new in 2025-03-26, as an embedded resource that older clients can keep. */
function audioAsResource(block: ContentBlock): ContentBlock {
	if (block.type !== 'audio') return block;
	const { data, mimeType } = block;
	return { type: 'resource', resource: { uri: 'data:audio', mimeType, blob: data } };
}
