/* `mctl list prompts` and `mctl list resources`: those of the library, of plugins and of the storage. */
import { loadConfiguration } from '../../config/load.ts';
import type { Library } from '../../library/library.ts';
import { hubItems, type ListedItem, textField } from '../hub-client/hub-items.ts';
import { withLibrary } from '../open-library.ts';
import type { Listing } from './listing.ts';

const whenEmpty =
	'No library here. `mctl new prompt my-prompt` and `mctl new resource guides/my-guide` begin one.';

/** Prompts with their arguments; those in brackets may be left out. */
export const promptListing: Listing = libraryListing('PROMPT', 'prompts', 'name', async (library) =>
	(await library.listPrompts()).map((prompt) => {
		const { name, title, description, arguments: places } = prompt;
		return { item: prompt, row: [usageOf(name, places), textOf(title, description)] };
	}),
);

export const resourceListing: Listing = libraryListing('RESOURCE', 'resources', 'uri', async (library) =>
	(await library.listResources()).map((resource) => {
		const { uri, title, description } = resource;
		return { item: resource, row: [uri, textOf(title, description)] };
	}),
);

/** The items of the library, then those that the hub has besides. */
function libraryListing(
	heading: string,
	kind: 'prompts' | 'resources',
	key: 'name' | 'uri',
	read: (library: Library) => Promise<{ item: object; row: string[] }[]>,
): Listing {
	return {
		headings: [heading, 'DESCRIPTION'],
		whenEmpty,

		async list(input) {
			const { configuration } = loadConfiguration(input);
			const own = await withLibrary({ ...input, flags: {} }, read);
			const known = new Set(own.map(({ item }) => String(Reflect.get(item, key))));
			const { items: others, notes } = await hubItems(input, configuration, { kind, key, known });
			const nameOf = (item: ListedItem): string =>
				kind === 'prompts' ? usageOf(textField(item, 'name'), placesOf(item)) : textField(item, 'uri');
			const rows = [
				...own.map(({ row }) => row),
				...others.map((item) => [nameOf(item), descriptionOf(item)]),
			];
			return { rows, items: [...own.map(({ item }) => item), ...others], problems: [], notes };
		},
	};
}

interface Place {
	readonly name: string;
	readonly required?: boolean;
}

function usageOf(name: string, places: readonly Place[]): string {
	return [name, ...places.map((place) => (place.required ? `${place.name}=` : `[${place.name}=]`))].join(' ');
}

function placesOf({ arguments: places }: ListedItem): Place[] {
	// The hub gives prompts in the shape of MCP.
	return Array.isArray(places) ? (places as Place[]) : [];
}

function descriptionOf(item: ListedItem): string {
	return textOf(textField(item, 'title') || undefined, textField(item, 'description') || undefined);
}

function textOf(title: string | undefined, description: string | undefined): string {
	return [title, description].filter((part) => part !== undefined).join(': ');
}
