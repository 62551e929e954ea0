/* The rows of `mctl list resources` and `mctl list prompts`. */
import type { Library } from '../library/library.ts';
import type { ListedPrompt, ListedResource } from '../library/listing.ts';

export interface LibraryRow {
	name: string;
	/** Title, and description where there is one. */
	text: string;
}

/** One row a resource, by URI. */
export async function resourceRows(
	library: Library,
): Promise<{ rows: LibraryRow[]; resources: ListedResource[] }> {
	const resources = await library.listResources();
	const rows = resources.map(({ uri, title, description }) => ({
		name: uri,
		text: textOf(title, description),
	}));
	return { rows, resources };
}

/** One row a prompt, with its arguments; those in brackets may be left out. */
export async function promptRows(library: Library): Promise<{ rows: LibraryRow[]; prompts: ListedPrompt[] }> {
	const prompts = await library.listPrompts();
	const rows = prompts.map(({ name, title, description, arguments: places }) => ({
		name: [name, ...places.map((place) => (place.required ? `${place.name}=` : `[${place.name}=]`))].join(
			' ',
		),
		text: textOf(title, description),
	}));
	return { rows, prompts };
}

function textOf(title: string | undefined, description: string | undefined): string {
	return [title, description].filter((part) => part !== undefined).join(': ');
}
