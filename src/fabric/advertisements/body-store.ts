/*
 * The bodies of advertisements, by their hash. A text whose hash is another one is not taken, so
 * no worker can replace the body of another. Bodies are parsed on first use.
 */
import { attempt } from '../../errors.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { exactly } from '../../wire/json-text.ts';
import { ADVERTISED_NAME_CHARACTERS, ADVERTISED_TOOLS_LIMIT } from '../fabric-limits.ts';
import { bodyHash } from './advertisement-bodies.ts';

interface Body {
	/** Undefined after it was parsed. */
	text: string | undefined;
	tools: readonly Tool[] | undefined;
	readonly arrivedAt: number;
}

export class BodyStore {
	readonly #bodies = new Map<string, Body>();
	/** How many workers name a hash. */
	readonly #named = new Map<string, number>();

	has(hash: string): boolean {
		return this.#bodies.has(hash);
	}

	/** True when it is new. A body that is known is not even read. */
	add(hash: string, read: () => string, now: number): boolean {
		if (this.#bodies.has(hash)) return false;
		const text = read();
		if (bodyHash(text) !== hash) return false;
		this.#bodies.set(hash, { text, tools: undefined, arrivedAt: now });
		return true;
	}

	toolsIn(hash: string): readonly Tool[] {
		const body = this.#bodies.get(hash);
		if (body === undefined) return [];
		body.tools ??= parseBody(body.text ?? '');
		body.text = undefined;
		return body.tools;
	}

	/** A worker names these. */
	name(hashes: readonly string[]): void {
		for (const hash of hashes) this.#named.set(hash, (this.#named.get(hash) ?? 0) + 1);
	}

	/** A worker names these no more. */
	unname(hashes: readonly string[]): void {
		for (const hash of hashes) {
			const left = (this.#named.get(hash) ?? 0) - 1;
			if (left > 0) this.#named.set(hash, left);
			else {
				this.#named.delete(hash);
				this.#bodies.delete(hash);
			}
		}
	}

	/** Drop those that arrived before a time and that no worker names: a body is written just before its presence. */
	dropUnnamed(before: number): void {
		for (const [hash, { arrivedAt }] of this.#bodies)
			if (arrivedAt < before && !this.#named.has(hash)) this.#bodies.delete(hash);
	}

	clear(): void {
		this.#bodies.clear();
		this.#named.clear();
	}
}

/** The valid tools of a body; other workers are not trusted to write it correctly. */
function parseBody(text: string): readonly Tool[] {
	const read = exactly(
		attempt(() => JSON.parse(text)),
		text,
	);
	const tools: readonly unknown[] = isObject(read) && Array.isArray(read['tools']) ? read['tools'] : [];
	return tools.filter(isTool).slice(0, ADVERTISED_TOOLS_LIMIT);
}

function isTool(value: unknown): value is Tool {
	if (!isObject(value) || !isObject(value['inputSchema'])) return false;
	const { name } = value;
	return typeof name === 'string' && name !== '' && name.length <= ADVERTISED_NAME_CHARACTERS;
}
