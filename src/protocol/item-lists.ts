/* What a server lists: the kinds of items, and how each is requested. One closed table, for servers and clients. */
import type { Prompt, Resource, ResourceTemplate, Skill, Tool } from './mcp-types.ts';

/** The items that can be listed. */
export interface ItemTypes {
	tools: Tool;
	prompts: Prompt;
	resources: Resource;
	templates: ResourceTemplate;
	skills: Skill;
}

/** A kind of items. */
export type ItemKind = keyof ItemTypes;

/** An item of a list. */
export type Item = ItemTypes[ItemKind];

/** The lists that clients are notified of. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** The flags that a client sets to be notified of a list, of its kind. */
export const listFlags: Readonly<Record<string, ListKind>> = {
	toolsListChanged: 'tools',
	promptsListChanged: 'prompts',
	resourcesListChanged: 'resources',
};

interface ItemList {
	readonly method: string;
	/** The member of the result. */
	readonly field: string;
	/** The text that distinguishes its items; lists are sorted by it. */
	readonly key: 'name' | 'uri' | 'uriTemplate';
	/** The capability that a server must declare, or the method does not exist. */
	readonly capability: ListKind | 'skills';
	/** The list that a notification of a change is about. */
	readonly change: ListKind;
	/** Items on one page. Default: many, because many clients read only the first page. */
	readonly pageItems?: number;
}

/** The lists, by the kind of their items. */
export const lists: { readonly [Kind in ItemKind]: ItemList } = {
	tools: { method: 'tools/list', field: 'tools', key: 'name', capability: 'tools', change: 'tools' },
	prompts: {
		method: 'prompts/list',
		field: 'prompts',
		key: 'name',
		capability: 'prompts',
		change: 'prompts',
	},
	resources: {
		method: 'resources/list',
		field: 'resources',
		key: 'uri',
		capability: 'resources',
		change: 'resources',
	},
	templates: {
		method: 'resources/templates/list',
		field: 'resourceTemplates',
		key: 'uriTemplate',
		capability: 'resources',
		change: 'resources',
	},
	// Each may have hundreds of files.
	skills: {
		method: 'skills/list',
		field: 'skills',
		key: 'uri',
		capability: 'skills',
		change: 'resources',
		pageItems: 100,
	},
};
