/* 2025-11-25: the newest revision that opens with `initialize`. */
import type { Revision } from '../revision.ts';

export const revision: Revision = { version: '2025-11-25', era: 'legacy', acceptsBatch: false };
