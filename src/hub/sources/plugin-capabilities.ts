/* The tools and prompts of a plugin, from its last start, and the types that its manifest declares. */
import type { Change } from '../../mcp/server/provider.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import type { PluginManifest } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { promptOf, toolOf } from '../../plugin/mcp-translation.ts';
import type { Prompt, Tool } from '../../protocol/mcp-types.ts';
import { MANIFEST_NAME_CHARACTERS, MANIFEST_NAMES_LIMIT } from './source-limits.ts';

/** The part of a manifest that routing needs. */
export type ProvidedTypes = Pick<PluginManifest, 'providesStorage' | 'providesAi' | 'needsEvents'>;

interface Lists {
	readonly tools: readonly Tool[];
	readonly prompts: readonly Prompt[];
}

const nothing: Lists = { tools: [], prompts: [] };

export class PluginCapabilities {
	/** Undefined before the first start. */
	lists: Lists | undefined;
	#provided: ProvidedTypes = { providesStorage: [], providesAi: [], needsEvents: [] };
	#reported: Readonly<Record<keyof Lists, string>> = { tools: '[]', prompts: '[]' };

	get provided(): ProvidedTypes {
		return this.#provided;
	}

	/** The plugin started with these lists. */
	setLists({ tools, prompts }: Pick<PluginProcess, 'tools' | 'prompts'>): void {
		this.lists = { tools: tools.map(toolOf), prompts: prompts.map(promptOf) };
	}

	/** The plugin registered with a manifest; the stored lists are bounded. */
	setProvided({ providesStorage, providesAi, needsEvents }: ProvidedTypes): void {
		this.#provided = {
			providesStorage: bounded(providesStorage),
			providesAi: bounded(providesAi),
			needsEvents: bounded(needsEvents),
		};
	}

	hasTool(toolName: string): boolean {
		return this.lists?.tools.some(({ name }) => name === toolName) ?? false;
	}

	/** The lists that differ since the last call; those of a plugin that is down are empty. */
	changes(isDown: boolean): Change[] {
		const { tools, prompts } = (isDown ? undefined : this.lists) ?? nothing;
		const before = this.#reported;
		this.#reported = { tools: JSON.stringify(tools), prompts: JSON.stringify(prompts) };
		return (['tools', 'prompts'] as const)
			.filter((kind) => this.#reported[kind] !== before[kind])
			.map((kind) => ({ kind }));
	}
}

function bounded(names: readonly string[]): string[] {
	return names.filter(({ length }) => length <= MANIFEST_NAME_CHARACTERS).slice(0, MANIFEST_NAMES_LIMIT);
}
