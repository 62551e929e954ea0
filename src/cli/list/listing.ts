/*
 * What `mctl list` can list. Each kind is data; a new kind is one more entry in
 * the table, and appears in the usage, the errors and the JSON by itself.
 */
import type { ConfigProblem } from '../../config/problem.ts';
import type { CommandInput } from '../command.ts';

export interface Listed {
	/** One row for each item, in the order of `headings`. */
	readonly rows: readonly (readonly string[])[];
	/** One object for each item, for `--json`. */
	readonly items: readonly object[];
	readonly problems: readonly ConfigProblem[];
	/** Sentences beside the table, for users. */
	readonly messages?: readonly string[];
	/** The command exits with 1. */
	readonly isFailed?: boolean;
}

export interface Listing {
	readonly headings: readonly string[];
	/** The headings that a narrow terminal shows. Default: all. */
	readonly narrow?: readonly string[];
	/** The message when there is nothing. */
	readonly whenEmpty: string;
	list(input: Pick<CommandInput, 'cwd' | 'environment' | 'flags' | 'signal' | 'out'>): Promise<Listed>;
}

/** The kinds, in the order in which `mctl list` shows them. */
export const listings: Readonly<Record<string, () => Promise<Listing>>> = {
	tools: async () => (await import('./list-tools.ts')).toolListing,
	servers: async () => (await import('./list-servers.ts')).serverListing,
	plugins: async () => (await import('./list-servers.ts')).pluginListing,
	prompts: async () => (await import('./list-library.ts')).promptListing,
	resources: async () => (await import('./list-library.ts')).resourceListing,
};
