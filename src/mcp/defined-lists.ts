/* What a definition shows to clients: everything but the functions, sorted, so that it gives the same bytes. */
import { OrchestraError } from '../errors.ts';
import type { JsonObject } from '../wire/json.ts';
import type { ServerDefinition, TemplateDefinition } from './definition.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from './types.ts';

export interface DefinedLists {
	readonly tools: readonly Tool[];
	readonly resources: readonly Resource[];
	readonly templates: readonly ResourceTemplate[];
	/** The templates themselves, in the order in which they are tried. */
	readonly matchers: readonly [pattern: string, template: TemplateDefinition][];
	readonly prompts: readonly Prompt[];
}

const openObject: JsonObject = { type: 'object' };

/** Throws `bad_input` for a tool that no client would take. */
export function listsOf({ tools, resources, templates, prompts }: ServerDefinition): DefinedLists {
	const matchers = sorted(templates);
	return {
		tools: sorted(tools).map(([name, { run: _run, inputSchema = openObject, ...rest }]) => ({
			name,
			...rest,
			inputSchema: ofObject(name, inputSchema),
		})),
		resources: sorted(resources).map(([uri, { read: _read, ...rest }]) => ({ uri, name: uri, ...rest })),
		templates: matchers.map(([uriTemplate, { read: _read, complete: _complete, ...rest }]) => ({
			uriTemplate,
			name: uriTemplate,
			...rest,
		})),
		matchers,
		prompts: sorted(prompts).map(([name, { get: _get, complete: _complete, ...rest }]) => ({
			name,
			...rest,
		})),
	};
}

/** Arguments are always an object, and clients refuse a whole list for one schema that does not say so. */
function ofObject(tool: string, schema: JsonObject): JsonObject {
	if (schema['type'] === 'object') return schema;
	throw new OrchestraError('bad_input', `inputSchema of the tool ${tool} must have "type": "object"`);
}

function sorted<T>(record: Readonly<Record<string, T>> = {}): [string, T][] {
	return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
