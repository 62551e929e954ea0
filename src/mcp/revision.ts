/* What one revision of the specification does differently. Each has a folder of its own. */
import type { ContentBlock } from './types.ts';

export interface Revision {
	readonly version: string;
	/** Legacy revisions open with `initialize`; modern ones carry their version on every request. */
	readonly era: 'legacy' | 'modern';
	/** Whether an array of messages is a batch. */
	readonly acceptsBatch: boolean;
	/** A content block in a form that this revision knows; undefined when every block is known. */
	readonly adaptContent?: (block: ContentBlock) => ContentBlock;
}
