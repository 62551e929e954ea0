/*
 * The instructions of MCP servers as one text, for the clients of the hub.
 *
 * A client puts the text before its model, so it is bounded: that of one server, and all
 * together. Each server has a section with its name; a line of its text that looks like
 * the begin of a section is escaped.
 */
import type { Awaitable } from '../protocol/mcp-types.ts';
import type { Backend } from './backends/backend.ts';
import { qualifiedName } from './names.ts';

/** Most characters of one server. */
export const SERVER_INSTRUCTIONS_CHARACTERS = 2000;
/** Most characters of all servers together. */
export const INSTRUCTIONS_CHARACTERS = 16_000;
/** Room for the line about servers that are left out. */
const REST_CHARACTERS = 80;

/** The instructions of one server. */
export interface ServerInstructions {
	readonly id: string;
	/** True when its tools are called `id__name`. */
	readonly qualifiesNames: boolean;
	readonly text: string;
}

/** The instructions of the hub itself (`own`), then those of all backends that have some; undefined when none has. Starts no process. */
export function instructionsFor(backends: readonly Backend[], own?: string): Awaitable<string | undefined> {
	const asked = backends.filter((backend) => backend.instructions !== undefined);
	if (asked.length === 0) return own;
	const texts = Promise.all(asked.map(async (backend) => (await backend.instructions?.()) ?? ''));
	return texts.then((all) => {
		const merged = mergeInstructions(
			asked.map(({ id, qualifiesNames }, at) => ({ id, qualifiesNames, text: all[at] ?? '' })),
		);
		return own === undefined || merged === undefined ? (own ?? merged) : `${own}\n\n${merged}`;
	});
}

/** One text with a section for each server; undefined when no server has instructions. */
export function mergeInstructions(servers: readonly ServerInstructions[]): string | undefined {
	const sections = servers.filter(({ text }) => text.trim() !== '').map(sectionOf);
	let merged = '';
	for (const [at, section] of sections.entries()) {
		const next = merged === '' ? section : `${merged}\n\n${section}`;
		if (next.length > INSTRUCTIONS_CHARACTERS - REST_CHARACTERS) {
			return `${merged}\n\nThe instructions of ${sections.length - at} more servers are left out.`;
		}
		merged = next;
	}
	return merged === '' ? undefined : merged;
}

function sectionOf({ id, qualifiesNames, text }: ServerInstructions): string {
	const names = qualifiesNames ? ` (tools: ${qualifiedName(id, '*')})` : '';
	const trimmed = text.trim();
	const short =
		trimmed.length <= SERVER_INSTRUCTIONS_CHARACTERS
			? trimmed
			: `${trimmed.slice(0, SERVER_INSTRUCTIONS_CHARACTERS).replace(/\p{Surrogate}$/u, '')} [shortened]`;
	return `## ${id}${names}\n\n${short.replaceAll(/^(?=#)/gmu, '\\')}`;
}
