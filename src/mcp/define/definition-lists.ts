/* The lists that clients see of a definition: without the functions, and sorted so that they give the same bytes. */
import { OrchestraError } from '../../errors.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/mcp-types.ts';
import { jsonSchemaOf } from '../../schema/standard-schema.ts';
import type { JsonObject } from '../../wire/json.ts';
import type { ServerDefinition, TemplateDefinition, ToolDefinition } from './definition.ts';

export interface DefinitionLists {
	readonly tools: readonly Tool[];
	readonly resources: readonly Resource[];
	readonly templates: readonly ResourceTemplate[];
	/** The templates with their functions, in matching order. */
	readonly matchers: readonly [pattern: string, template: TemplateDefinition][];
	readonly prompts: readonly Prompt[];
}

const openObject: JsonObject = { type: 'object' };

/** Throws `bad_input` for a tool whose schema clients would reject. */
export function listsOf({ tools, resources, templates, prompts }: ServerDefinition): DefinitionLists {
	const matchers = sorted(templates);
	return {
		tools: sorted(tools).map(([name, tool]) => listedTool(name, tool)),
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

function listedTool(name: string, tool: ToolDefinition): Tool {
	const { run: _run, input, output, inputSchema, outputSchema, annotations, ...rest } = tool;
	const [given, returned] = [input ?? inputSchema, output ?? outputSchema];
	const inputs = given === undefined ? openObject : jsonSchemaOf(given, 'input', name);
	return {
		name,
		...rest,
		...(annotations ? { annotations: { ...annotations } } : {}),
		inputSchema: ofObject(name, inputs),
		...(returned === undefined ? {} : { outputSchema: jsonSchemaOf(returned, 'output', name) }),
	};
}

/** Clients reject the whole list when one input schema is not of type object. */
function ofObject(tool: string, schema: JsonObject): JsonObject {
	if (schema['type'] === 'object') return schema;
	throw new OrchestraError('bad_input', `the input schema of the tool ${tool} must have "type": "object"`, {
		hint: 'Describe the arguments as the properties of one object.',
	});
}

function sorted<T>(record: Readonly<Record<string, T>> = {}): [string, T][] {
	return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
