/* Fragments and prompts as MCP lists, sorted. */
import type { Fragment } from './files/fragment.ts';
import type { FragmentStore } from './files/fragment-store.ts';
import type { LibraryPrompt } from './prompt-file.ts';
import { CATEGORY_MATCH_TEMPLATE, FRAGMENT_TEMPLATE, MATCH_TEMPLATE } from './registry.ts';
import { categoryUri, REGISTRY_URI } from './uri.ts';

/** A resource in `resources/list`. */
export interface ListedResource {
	uri: string;
	name: string;
	title?: string;
	description?: string;
	mimeType: string;
	/** Bytes; absent for what is made on request. */
	size?: number;
}

/** A template in `resources/templates/list`. */
export interface ListedTemplate {
	uriTemplate: string;
	name: string;
	title: string;
	description: string;
	mimeType?: string;
}

/** A prompt in `prompts/list`. */
export interface ListedPrompt {
	name: string;
	title?: string;
	description?: string;
	arguments: Array<{ name: string; description?: string; required: boolean }>;
}

/** The indexes and all fragments, in the order of their URIs. */
export function listResources(fragments: FragmentStore): ListedResource[] {
	const all = [...indexResources(fragments), ...fragments.list().map(resourceOf)];
	return all.sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

export function listTemplates(): ListedTemplate[] {
	const mimeType = 'text/markdown';
	return [
		{
			uriTemplate: FRAGMENT_TEMPLATE,
			name: 'fragment',
			title: 'One fragment',
			description: 'A file of the library by category and path, without its extension.',
		},
		{
			uriTemplate: MATCH_TEMPLATE,
			name: 'match',
			title: 'Fragments for a task',
			description:
				'The best fragments for a task in your own words. mode=catalog lists them, mode=full gives their text inside maxTokens.',
			mimeType,
		},
		{
			uriTemplate: CATEGORY_MATCH_TEMPLATE,
			name: 'match-in-category',
			title: 'Fragments of one category for a task',
			description: 'As match, among the files of one category.',
			mimeType,
		},
	];
}

export function listPrompts(prompts: ReadonlyMap<string, LibraryPrompt>): ListedPrompt[] {
	return [...prompts].map(([name, prompt]) => ({
		name,
		...optional({ title: prompt.title, description: prompt.description }),
		arguments: prompt.arguments.map((argument) => ({
			name: argument.name,
			...optional({ description: argument.description }),
			required: argument.required,
		})),
	}));
}

function indexResources(fragments: FragmentStore): ListedResource[] {
	const mimeType = 'application/json';
	const categories = [...fragments.categories()].map(([category, total]) => ({
		uri: categoryUri(category),
		name: category,
		title: `Index of ${category}`,
		description: `The ${total} resources of the category ${category}.`,
		mimeType,
	}));
	const registry = { uri: REGISTRY_URI, name: 'registry', title: 'Index of the library', mimeType };
	return [{ ...registry, description: 'Categories, totals and how to search.' }, ...categories];
}

function resourceOf({ uri, name, title, description, mimeType, size }: Fragment): ListedResource {
	return { uri, name, title, ...optional({ description }), mimeType, size };
}

/** Without the keys that have no value: they are not sent. */
function optional<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
	const present = Object.entries(fields).filter(([, value]) => value !== undefined);
	// The keys are those of T; `fromEntries` forgets their names.
	return Object.fromEntries(present) as { [K in keyof T]?: string };
}
