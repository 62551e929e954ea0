/*
 * The tools of an agent whose results have an output schema: shortened structured content has the
 * notice as one more member, so the schema that the agent checks it against allows that member.
 */
import type { Tool } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';

type OutputSchema = NonNullable<Tool['outputSchema']>;

/** The member of structured content that has the notice. */
export const NOTICE_MEMBER = 'orchestra/notice';

/** A schema is checked by what was compiled of the same object. */
const noticed = new WeakMap<OutputSchema, OutputSchema>();

/** Whether the page of an app reads the structured content. */
export function isForPage(tool: Tool | undefined): boolean {
	const meta = isObject(tool?.['_meta']) ? tool['_meta'] : {};
	return meta['ui'] !== undefined || meta['ui/resourceUri'] !== undefined;
}

/** A tool whose results may have the notice in them. */
export function noticedTool(tool: Tool): Tool {
	const { outputSchema } = tool;
	if (outputSchema === undefined || isForPage(tool)) return tool;
	const schema = noticedSchema(outputSchema);
	return schema === outputSchema ? tool : { ...tool, outputSchema: schema };
}

/** The same schema when it allows any member. */
export function noticedSchema(schema: OutputSchema): OutputSchema {
	const { properties, additionalProperties } = schema;
	if (additionalProperties !== false || !isObject(properties)) return schema;
	const known = noticed.get(schema) ?? {
		...schema,
		properties: { ...properties, [NOTICE_MEMBER]: { type: 'string' } },
	};
	noticed.set(schema, known);
	return known;
}
