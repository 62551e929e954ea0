/* 2025-06-18: batches went; structured content, links, titles and elicitation came. */
import type { Revision } from '../revision.ts';

export const revision: Revision = { version: '2025-06-18', era: 'legacy', acceptsBatch: false };
