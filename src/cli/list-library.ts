/* `mctl list prompts` and `mctl list resources`. */
import type { Listing } from './listing.ts';
import { withLibrary } from './open-library.ts';

const whenEmpty =
	'No library here. `mctl new prompt my-prompt` and `mctl new resource guides/my-guide` begin one.';

/** Prompts with their arguments; those in brackets may be left out. */
export const promptListing: Listing = {
	headings: ['PROMPT', 'DESCRIPTION'],
	whenEmpty,

	async list({ environment }) {
		const prompts = await withLibrary({ flags: {}, environment }, (library) => library.listPrompts());
		const rows = prompts.map(({ name, title, description, arguments: places }) => [
			[name, ...places.map((place) => (place.required ? `${place.name}=` : `[${place.name}=]`))].join(' '),
			textOf(title, description),
		]);
		return { rows, items: prompts, problems: [] };
	},
};

export const resourceListing: Listing = {
	headings: ['RESOURCE', 'DESCRIPTION'],
	whenEmpty,

	async list({ environment }) {
		const resources = await withLibrary({ flags: {}, environment }, (library) => library.listResources());
		const rows = resources.map(({ uri, title, description }) => [uri, textOf(title, description)]);
		return { rows, items: resources, problems: [] };
	},
};

function textOf(title: string | undefined, description: string | undefined): string {
	return [title, description].filter((part) => part !== undefined).join(': ');
}
