/* 2024-11-05: the first revision. No audio, no links to resources, no batches. */
import { audioAsResource, linkAsText } from '../adapt.ts';
import type { Revision } from '../revision.ts';

export const revision: Revision = {
	version: '2024-11-05',
	era: 'legacy',
	acceptsBatch: false,
	adaptContent: (block) => audioAsResource(linkAsText(block)),
};
