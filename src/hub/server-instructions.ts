/*
 * The instructions of MCP servers as one text, for the clients of the hub.
 *
 * A client puts the text before its model, so it is bounded: that of one server, and all
 * together. Each server has a section with its name; a heading in its text is two levels
 * deeper, so that it is not taken for the begin of a section.
 */
import type { Awaitable } from '../protocol/mcp-types.ts';
import { toolPrefix } from '../trust/tool-name.ts';
import {
	INSTRUCTIONS_CHARACTERS,
	INSTRUCTIONS_REST_CHARACTERS,
	SERVER_INSTRUCTIONS_CHARACTERS,
} from './hub-limits.ts';
import { able, qualifiesNames, type Source } from './source.ts';

/** The instructions of one server. */
export interface ServerInstructions {
	readonly id: string;
	/** True when its tools are called `id__name`. */
	readonly qualifiesNames: boolean;
	readonly text: string;
}

/**
 * The instructions of the hub itself (`own`), how to search (`guide`), then those of all sources that have some;
 * undefined when there are none. Starts no process.
 */
export function instructionsFor(
	sources: readonly Source[],
	own?: string,
	guide?: Promise<string | undefined>,
): Awaitable<string | undefined> {
	const capable = sources.filter((source) => able(source, 'instructions'));
	if (capable.length === 0) return own;
	const strings = capable.map(async (source): Promise<ServerInstructions> => {
		const text = (await able(source, 'instructions')?.instructions()) ?? '';
		return { id: source.id, qualifiesNames: qualifiesNames(source), text };
	});
	return Promise.all([guide, ...strings]).then(([first, ...all]) => {
		return joinedInstructions(own, first, mergeInstructions(all));
	});
}

/** Several strings as one; undefined when there is none. */
export function joinedInstructions(...strings: readonly (string | undefined)[]): string | undefined {
	const parts = strings.filter((text) => text !== undefined);
	return parts.length === 0 ? undefined : parts.join('\n\n');
}

/** One text with a section for each server; undefined when no server has instructions. */
export function mergeInstructions(servers: readonly ServerInstructions[]): string | undefined {
	const sections = servers.filter(({ text }) => text.trim() !== '').map(sectionOf);
	let merged = '';
	for (const [at, section] of sections.entries()) {
		const next = merged === '' ? section : `${merged}\n\n${section}`;
		if (next.length > INSTRUCTIONS_CHARACTERS - INSTRUCTIONS_REST_CHARACTERS) {
			return `${merged}\n\nThe instructions of ${sections.length - at} more servers are left out.`;
		}
		merged = next;
	}
	return merged === '' ? undefined : merged;
}

function sectionOf({ id, text, ...server }: ServerInstructions): string {
	const names = server.qualifiesNames ? ` (tools: ${toolPrefix(id)}*)` : '';
	const trimmed = text.trim();
	const short =
		trimmed.length <= SERVER_INSTRUCTIONS_CHARACTERS
			? trimmed
			: `${trimmed.slice(0, SERVER_INSTRUCTIONS_CHARACTERS).replace(/\p{Surrogate}$/u, '')} [shortened]`;
	return `## ${id}${names}\n\n${short.replaceAll(/^#+(?=\s|$)/gmu, '##$&')}`;
}
