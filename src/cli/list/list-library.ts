/* `mctl list prompts` and `mctl list resources`: those of the library, of plugins and of the storage. */
import { loadConfiguration } from '../../config/load.ts';
import { hubItems, type ListedItem, textField } from '../hub-client/hub-items.ts';
import { withLibrary } from '../open-library.ts';
import type { Listing } from './listing.ts';

const whenEmpty =
	'No library here. `mctl new prompt my-prompt` and `mctl new resource guides/my-guide` begin one.';

/** Prompts with their arguments; those in brackets may be left out. */
export const promptListing: Listing = {
	headings: ['PROMPT', 'DESCRIPTION'],
	whenEmpty,

	async list(input) {
		const { configuration } = loadConfiguration(input);
		const prompts = await withLibrary({ ...input, flags: {} }, (library) => library.listPrompts());
		const known = new Set(prompts.map(({ name }) => name));
		const { items: others, notes } = await hubItems(input, configuration, {
			kind: 'prompts',
			key: 'name',
			known,
		});
		const rows = [
			...prompts.map(({ name, title, description, arguments: places }) => [
				usageOf(name, places),
				textOf(title, description),
			]),
			...others.map((prompt) => [
				usageOf(textField(prompt, 'name'), placesOf(prompt)),
				descriptionOf(prompt),
			]),
		];
		return { rows, items: [...prompts, ...others], problems: [], notes };
	},
};

export const resourceListing: Listing = {
	headings: ['RESOURCE', 'DESCRIPTION'],
	whenEmpty,

	async list(input) {
		const { configuration } = loadConfiguration(input);
		const resources = await withLibrary({ ...input, flags: {} }, (library) => library.listResources());
		const known = new Set(resources.map(({ uri }) => uri));
		const { items: others, notes } = await hubItems(input, configuration, {
			kind: 'resources',
			key: 'uri',
			known,
		});
		const rows = [
			...resources.map(({ uri, title, description }) => [uri, textOf(title, description)]),
			...others.map((resource) => [textField(resource, 'uri'), descriptionOf(resource)]),
		];
		return { rows, items: [...resources, ...others], problems: [], notes };
	},
};

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
