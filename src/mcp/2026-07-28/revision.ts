/* 2026-07-28: stateless. Version and capabilities travel with every request, and the server never asks by itself. */
import type { Revision } from '../revision.ts';

export const revision: Revision = { version: '2026-07-28', era: 'modern', acceptsBatch: false };
