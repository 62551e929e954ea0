/*
 * The revisions of the specification that are served and spoken, and what each does
 * differently.
 *
 * The first four open with `initialize`. 2026-07-28 is stateless: version and
 * capabilities travel with every request, and the server never asks by itself.
 */
import type { ContentBlock, McpLogLevel } from './mcp-types.ts';

/** One revision of the specification. */
export interface Revision {
	readonly version: string;
	/** Legacy revisions open with `initialize`; modern ones carry their version on every request. */
	readonly era: 'legacy' | 'modern';
	/** Whether an array of messages is a batch. */
	readonly acceptsBatch: boolean;
	/** The level of log messages for a client that has not set one; undefined: it gets none. */
	readonly defaultLogLevel?: McpLogLevel;
	/** A content block in a form that this revision knows; undefined when every block is known. */
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
	// Batches went; structured content, links, titles and elicitation came.
	{ version: '2025-06-18', era: 'legacy', acceptsBatch: false, defaultLogLevel: 'warning' },
	// The only revision with batches. Audio came, links to resources had not.
	{
		version: '2025-03-26',
		era: 'legacy',
		acceptsBatch: true,
		defaultLogLevel: 'warning',
		adaptContent: linkAsText,
	},
	// No audio, no links to resources, no batches. Clients of its time hang on notifications that nobody reads.
	{
		version: '2024-11-05',
		era: 'legacy',
		acceptsBatch: false,
		adaptContent: (block) => audioAsResource(linkAsText(block)),
	},
];

/** Every version, newest first: what a client is told when it asks for another one. */
export const supportedVersions: readonly string[] = revisions.map(({ version }) => version);

/** The versions that need no `initialize`. */
export const modernVersions: readonly string[] = [modern.version];

/** The revision that an `initialize` for `version` opens: that one, else the newest legacy one. */
export function negotiate(version: unknown): Revision {
	const asked = revisions.find((revision) => revision.era === 'legacy' && revision.version === version);
	return asked ?? newestLegacy;
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
