/* What a worker advertises: the tools of its hub that its patterns name, without those of other workers. */
import { sha256 } from '../../files/sha256.ts';
import { serverNamesIn } from '../../hub/catalogue/published-names.ts';
import type { Hub } from '../../hub/hub.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { anyToolPattern } from '../../trust/tool-pattern.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { BODY_BYTES } from '../fabric-limits.ts';

/** A part of an advertisement, small enough for one message. */
export interface AdvertisementBody {
	readonly hash: string;
	readonly text: string;
}

const HASH_CHARACTERS = 32;

/** The tools that match a pattern, sorted by name. */
export async function advertisedTools(hub: Hub, patterns: readonly string[]): Promise<Tool[]> {
	const { items, routes } = await hub.catalogue.list('tools');
	const isAdvertised = anyToolPattern(patterns, serverNamesIn(hub.sources));
	return items.filter(({ name }) => {
		const { source, toolName } = routes.get(name) ?? {};
		// Advertising the tools of others would send calls in circles.
		return source?.kind !== 'fabric' && toolName !== undefined && isAdvertised(toolName);
	});
}

/** The tools as bodies. The same tools give the same hashes. A tool too large for a message is passed to `onLarge`. */
export function advertisementBodies(
	tools: readonly Tool[],
	onLarge: (name: string) => void,
): AdvertisementBody[] {
	const pages: string[][] = [[]];
	let size = 0;
	for (const tool of tools) {
		const text = encodeJson(tool);
		const bytes = Buffer.byteLength(text);
		if (bytes > BODY_BYTES) {
			onLarge(tool.name);
			continue;
		}
		if (size + bytes > BODY_BYTES) {
			pages.push([]);
			size = 0;
		}
		pages.at(-1)?.push(text);
		size += bytes;
	}
	return pages.map((page) => {
		const text = `{"tools":[${page.join(',')}]}`;
		return { hash: bodyHash(text), text };
	});
}

/** The name of a body in the bucket. */
export function bodyHash(text: string): string {
	return sha256(text).slice(0, HASH_CHARACTERS);
}
