/* Reads a resource by its URI: the registry, a category, a fragment, or the result of a match. */
import type { Log } from '../log.ts';
import { printableName } from '../printable.ts';
import type { FragmentStore } from './files/fragment-store.ts';
import type { Finder } from './match/finder.ts';
import { readMatchRequest } from './match/match-request.ts';
import { categoryText, registryText } from './registry.ts';
import { fragmentUri, type ParsedUri, parseUri } from './uri.ts';

interface ReadText {
	mimeType: string;
	text: string;
}

export class ResourceReader {
	readonly #parts: { fragments: FragmentStore; finder: Finder; log: Log };

	constructor(parts: { fragments: FragmentStore; finder: Finder; log: Log }) {
		this.#parts = parts;
	}

	/** Undefined when there is no such resource. Throws `bad_input` for wrong parameters of a match. */
	async read(uri: string): Promise<ReadText | undefined> {
		const asked = parseUri(uri);
		if (asked?.kind === 'match') await this.#parts.finder.prepare();
		return asked && this.#read(uri, asked);
	}

	#read(uri: string, asked: ParsedUri): ReadText | undefined {
		const json = 'application/json';
		switch (asked.kind) {
			case 'registry':
				return { mimeType: json, text: registryText(this.#parts.fragments) };
			case 'category': {
				const text = categoryText(this.#parts.fragments, asked.category);
				return text === undefined ? undefined : { mimeType: json, text };
			}
			case 'fragment':
				return this.#readFragment(uri, asked.name);
			case 'match':
				return this.#readMatch(uri, asked);
		}
	}

	#readFragment(uri: string, name: string): ReadText | undefined {
		const fragment = this.#parts.fragments.get(fragmentUri(name));
		const isMatch = /^[^/]+\/match$/.test(name);
		if (!fragment && isMatch) return this.#readMatch(uri, { category: undefined, parameters: new Map() });
		const text = fragment && this.#parts.finder.textOf(fragment);
		return text === undefined ? undefined : { mimeType: fragment?.mimeType ?? '', text };
	}

	#readMatch(
		uri: string,
		{ category, parameters }: { category: string | undefined; parameters: ReadonlyMap<string, string> },
	): ReadText {
		this.#parts.log.info(`Dynamic resource request: ${printableName(uri)}`);
		return {
			mimeType: 'text/markdown',
			text: this.#parts.finder.find(readMatchRequest(category, parameters)).text,
		};
	}
}
