import type { Fragment } from '../src/library/files/fragment.ts';

type Indexed = Fragment & { body: string };
export function miniSearch(fragments: readonly Indexed[]): (query: string) => string[];
export function keywordCount(fragments: readonly Indexed[]): (query: string) => string[];
