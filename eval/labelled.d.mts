export interface Query {
	kind: string;
	query: string;
	wanted: string[];
}
export function unpackFragments(set?: string): string;
export function readFragments(set?: string): { topic: string; name: string; text: string }[];
export function readQueries(split: string): Query[];
export function grade(
	queries: readonly Query[],
	rank: (query: string) => string[],
): { recall1: number; recall5: number; mrr: number };
