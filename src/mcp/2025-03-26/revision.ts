/* 2025-03-26: the only revision with batches. Audio came, links to resources had not. */
import { linkAsText } from '../adapt.ts';
import type { Revision } from '../revision.ts';

export const revision: Revision = {
	version: '2025-03-26',
	era: 'legacy',
	acceptsBatch: true,
	adaptContent: linkAsText,
};
