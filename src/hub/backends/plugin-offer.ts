/* What a plugin offers: as it said when it was last up, and as its own manifest announces it. */

import type { Change } from '../../mcp/server/provider.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import type { PluginManifest } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { promptOf, toolOf } from '../../plugin/mcp-translation.ts';
import type { Prompt, Tool } from '../../protocol/mcp-types.ts';

/** Most names that one list of a manifest may have, and the longest of them. */
const MANIFEST_NAMES = 64;
const MANIFEST_NAME_CHARACTERS = 128;

/** The part of a manifest that routing needs. */
export type Provided = Pick<PluginManifest, 'providesStorage' | 'providesAi'>;

interface Lists {
	readonly tools: readonly Tool[];
	readonly prompts: readonly Prompt[];
}

const nothing: Lists = { tools: [], prompts: [] };

export class PluginOffer {
	#lists: Lists | undefined;
	#provided: Provided = { providesStorage: [], providesAi: [] };
	#told: Readonly<Record<keyof Lists, string>> = { tools: '[]', prompts: '[]' };

	/** Undefined until the plugin was up for the first time. */
	get lists(): Lists | undefined {
		return this.#lists;
	}

	get provided(): Provided {
		return this.#provided;
	}

	/** The plugin is up and offers this. */
	learn({ tools, prompts }: Pick<PluginProcess, 'tools' | 'prompts'>): void {
		this.#lists = { tools: tools.map(toolOf), prompts: prompts.map(promptOf) };
	}

	/** The plugin registered by itself. Of its manifest only this is kept, and not more than a plugin can need. */
	announce({ providesStorage, providesAi }: Provided): void {
		this.#provided = { providesStorage: bounded(providesStorage), providesAi: bounded(providesAi) };
	}

	hasTool(toolName: string): boolean {
		return this.#lists?.tools.some(({ name }) => name === toolName) ?? false;
	}

	/** Which lists are different from what this last gave; a plugin that is down offers nothing. */
	changes(isDown: boolean): Change[] {
		const { tools, prompts } = (isDown ? undefined : this.#lists) ?? nothing;
		const before = this.#told;
		this.#told = { tools: JSON.stringify(tools), prompts: JSON.stringify(prompts) };
		return (['tools', 'prompts'] as const)
			.filter((kind) => this.#told[kind] !== before[kind])
			.map((kind) => ({ kind }));
	}
}

function bounded(names: readonly string[]): string[] {
	return names.filter(({ length }) => length <= MANIFEST_NAME_CHARACTERS).slice(0, MANIFEST_NAMES);
}
