/* What the ranker reads of a tool: its fields and their weights. */

import type { EmbeddedDocument } from '../../library/embeddings/embeddings.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { propertiesOf, resolveSchema, type SchemaPlace } from '../../schema/schema-types.ts';
import type { SearchDocument, SearchField } from '../../search/document.ts';
import { toolPrefix } from '../../trust/tool-name.ts';
import {
	DOCUMENT_DEPTH,
	DOCUMENT_DESCRIPTION_CHARACTERS,
	DOCUMENT_PARAMETER_LIMIT,
	SERVER_ABOUT_CHARACTERS,
} from './expose-limits.ts';
import { verbsOf } from './tool-actions.ts';

export const toolFields: Readonly<Record<string, SearchField>> = {
	name: { weight: 5, typicalWords: 3 },
	server: { weight: 2, typicalWords: 1 },
	summary: { weight: 3, typicalWords: 12 },
	description: { weight: 1.5, typicalWords: 40 },
	parameters: { weight: 1.2, typicalWords: 8 },
	details: { weight: 0.8, typicalWords: 50 },
	actions: { weight: 1, typicalWords: 8, isOutsideMeaning: true },
	about: { weight: 0.5, typicalWords: 30, isOutsideMeaning: true },
};

/** A tool with the server that has it. */
export interface ExposedTool {
	readonly tool: Tool;
	readonly server: string;
	/** The description of the server: title and instructions. */
	readonly about?: string;
	/** A tool of the hub itself: it is listed beside the search tools, so no search has to find it. */
	readonly isBuiltIn?: boolean;
}

/** The fields of a tool for the index. */
export function toolDocument({ tool, server, about = '' }: ExposedTool): SearchDocument {
	const { parameters, details } = parametersIn(tool);
	const description = (tool.description ?? '').slice(0, DOCUMENT_DESCRIPTION_CHARACTERS);
	return {
		id: tool.name,
		group: server,
		fields: {
			name: [spaced(upstreamName(tool.name, server)), tool.title ?? ''],
			server: spaced(server),
			summary: firstSentence(description),
			description,
			parameters,
			details,
			actions: verbsOf(upstreamName(tool.name, server)),
			about: about.slice(0, SERVER_ABOUT_CHARACTERS),
		},
	};
}

/** A tool as a model reads it. */
export function embeddedTool({ tool, server }: ExposedTool): EmbeddedDocument {
	const { name, title = '', description = '' } = tool;
	return {
		id: name,
		text: [spaced(`${server} ${upstreamName(name, server)}`), title, description].join('\n'),
	};
}

/** The name without its server. */
export function upstreamName(name: string, server: string): string {
	const prefix = toolPrefix(server);
	return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name;
}

/** The first sentence of a description on one line, at most `limit` characters. */
export function firstSentence(description: string, limit: number = 200): string {
	const line =
		description
			.trim()
			.split(/\n\s*\n/)[0]
			?.replace(/\s+/g, ' ') ?? '';
	const [sentence = ''] = /^.*?[.!?。](?=\s|$)/.exec(line) ?? [line];
	return sentence.length <= limit ? sentence : `${sentence.slice(0, limit - 1).trimEnd()}…`;
}

/** Words of a name: split at `_`, `-` and the rest that is no letter; camel case is split by the tokenizer. */
function spaced(name: string): string {
	return name.replace(/[^\p{L}\p{N}]+/gu, ' ');
}

interface ParameterStrings {
	readonly parameters: string[];
	readonly details: string[];
}

function parametersIn({ inputSchema }: Tool): ParameterStrings {
	const found: ParameterStrings = { parameters: [], details: [] };
	collect({ schema: inputSchema, root: inputSchema }, found, 0);
	return found;
}

function collect(place: SchemaPlace, found: ParameterStrings, depth: number): void {
	if (depth >= DOCUMENT_DEPTH) return;
	for (const [name, inner] of propertiesOf(place)) {
		if (found.parameters.length >= DOCUMENT_PARAMETER_LIMIT) return;
		const { description, enum: values, items } = resolveSchema(inner);
		found.parameters.push(spaced(name));
		if (typeof description === 'string')
			found.details.push(description.slice(0, DOCUMENT_DESCRIPTION_CHARACTERS));
		if (Array.isArray(values)) found.details.push(values.filter(isText).map(spaced).join(' '));
		collect(inner, found, depth + 1);
		collect({ schema: items, root: inner.root }, found, depth + 1);
	}
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}
