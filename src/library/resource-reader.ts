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
	readonly #deps: { fragments: FragmentStore; finder: Finder; log: Log };

	constructor(deps: { fragments: FragmentStore; finder: Finder; log: Log }) {
		this.#deps = deps;
	}

	/** Undefined when there is no such resource. Throws `bad_input` for wrong parameters of a match. */
	async read(uri: string): Promise<ReadText | undefined> {
		const parsed = parseUri(uri);
		return parsed && this.#read(uri, parsed);
	}

	async #read(uri: string, parsed: ParsedUri): Promise<ReadText | undefined> {
		const json = 'application/json';
		switch (parsed.kind) {
			case 'registry':
				return { mimeType: json, text: registryText(this.#deps.fragments) };
			case 'category': {
				const text = categoryText(this.#deps.fragments, parsed.category);
				return text === undefined ? undefined : { mimeType: json, text };
			}
			case 'fragment':
				return this.#readFragment(uri, parsed.name);
			case 'match':
				return this.#readMatch(uri, parsed);
		}
	}

	async #readFragment(uri: string, name: string): Promise<ReadText | undefined> {
		const fragment = this.#deps.fragments.get(fragmentUri(name));
		const isMatch = /^[^/]+\/match$/.test(name);
		if (!fragment && isMatch) return this.#readMatch(uri, { category: undefined, parameters: new Map() });
		if (fragment) this.#deps.log.debug(`Loading resource: ${printableName(uri)}`);
		const text = fragment && this.#deps.finder.textOf(fragment);
		return text === undefined ? undefined : { mimeType: fragment?.mimeType ?? '', text };
	}

	async #readMatch(
		uri: string,
		{ category, parameters }: { category: string | undefined; parameters: ReadonlyMap<string, string> },
	): Promise<ReadText> {
		this.#deps.log.info(`Dynamic resource request: ${printableName(uri)}`);
		const { text } = await this.#deps.finder.answer(readMatchRequest(category, parameters));
		return { mimeType: 'text/markdown', text };
	}
}
