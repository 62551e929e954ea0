/* `mctl list prompts` and `mctl list resources`: those of the library, of plugins and of the storage. */
import { loadConfiguration } from '../../config/load.ts';
import type { Library } from '../../library/library.ts';
import { hubItems, type ListedItem, textField } from '../hub-client/hub-items.ts';
import { withLibrary } from '../open-library.ts';
import { type Columns, rowsOf } from '../terminal/table.ts';
import type { Listing } from './listing.ts';

const whenEmpty =
	'No library here. `mctl new prompt my-prompt` and `mctl new resource guides/my-guide` begin one.';

/** Prompts with their arguments; those in brackets may be left out. */
export const promptListing: Listing = libraryListing('prompts', 'name', (library) => library.listPrompts(), {
	PROMPT({ name, arguments: places }) {
		// The library and the hub give prompts in the shape of MCP.
		const all: readonly Place[] = Array.isArray(places) ? (places as Place[]) : [];
		return [name, ...all.map((place) => (place.required ? `${place.name}=` : `[${place.name}=]`))].join(' ');
	},
	DESCRIPTION: aboutOf,
});

export const resourceListing: Listing = libraryListing(
	'resources',
	'uri',
	(library) => library.listResources(),
	{
		RESOURCE: (item) => textField(item, 'uri'),
		DESCRIPTION: aboutOf,
	},
);

interface Place {
	readonly name: string;
	readonly required?: boolean;
}

/** The items of the library, then those that the hub has besides. */
function libraryListing(
	kind: 'prompts' | 'resources',
	key: 'name' | 'uri',
	read: (library: Library) => Promise<readonly object[]>,
	columns: Columns<ListedItem>,
): Listing {
	return {
		headings: Object.keys(columns),
		whenEmpty,

		async list(input) {
			const { configuration } = loadConfiguration(input);
			// They are JSON objects, as those of the hub.
			const local = (await withLibrary({ ...input, flags: {} }, read)) as readonly ListedItem[];
			const known = new Set(local.map((item) => String(item[key])));
			const { items: others, failures: messages } = await hubItems(input, configuration, {
				kind,
				key,
				known,
			});
			const items = [...local, ...others];
			return { rows: rowsOf(items, columns), items, problems: [], messages };
		},
	};
}

function aboutOf(item: ListedItem): string {
	return [textField(item, 'title'), textField(item, 'description')].filter((part) => part !== '').join(': ');
}
