/* The markdown library as a backend. */
import { affects, type LibraryChange } from '../../library/change.ts';
import type { Fragment } from '../../library/files/fragment.ts';
import type { LibraryPaths } from '../../library/files/paths.ts';
import { type FindOptions, Library } from '../../library/library.ts';
import type { FoundFragment } from '../../library/match/finder.ts';
import type { Log } from '../../log.ts';
import type { Change, CompleteParams, GetPromptParams } from '../../mcp/server/provider.ts';
import { ResourceSubscriptions } from '../../mcp/server/resource-subscriptions.ts';
import type {
	CompleteResult,
	GetPromptResult,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
} from '../../protocol/mcp-types.ts';
import type { Backend } from './backend.ts';

export class LibraryBackend implements Backend {
	readonly id = 'library';
	readonly kind = 'library';
	readonly qualifiesNames = false;
	readonly state = 'open';
	readonly #library: Library;
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #subscribed = new ResourceSubscriptions();

	constructor(paths: LibraryPaths, log: Log) {
		this.#library = Library.open({ ...paths, log, watch: true });
		this.#library.onChange((change) => this.#notifyChange(change));
	}

	async listPrompts(): Promise<readonly Prompt[]> {
		return (await this.#library.listPrompts()).map((prompt) => ({ ...prompt }));
	}

	async getPrompt({ name, arguments: input }: GetPromptParams): Promise<GetPromptResult> {
		const { messages, ...rest } = await this.#library.getPrompt(name, input);
		return { ...rest, messages: messages.map(({ role, content }) => ({ role, content: { ...content } })) };
	}

	async listResources(): Promise<readonly Resource[]> {
		return (await this.#library.listResources()).map((resource) => ({ ...resource }));
	}

	async listResourceTemplates(): Promise<readonly ResourceTemplate[]> {
		return (await this.#library.listResourceTemplates()).map((template) => ({ ...template }));
	}

	async readResource(uri: string): Promise<ReadResourceResult> {
		const { contents } = await this.#library.readResource(uri);
		return { contents: contents.map((content) => ({ ...content })) };
	}

	async complete({ ref, argument, context }: CompleteParams): Promise<CompleteResult> {
		const { name = '', uri = '' } = ref;
		const reference =
			ref.type === 'ref/prompt'
				? ({ type: 'ref/prompt', name } as const)
				: ({ type: 'ref/resource', uri } as const);
		return { completion: await this.#library.complete(reference, argument, context) };
	}

	findDocuments(query: string, options: FindOptions): Promise<FoundFragment> {
		return this.#library.find(query, options);
	}

	listDocuments(): Promise<readonly Fragment[]> {
		return this.#library.listDocuments();
	}

	ready(): Promise<void> {
		return this.#library.ready();
	}

	subscribeResource(uri: string, isSubscribed: boolean): void {
		this.#subscribed.change(uri, isSubscribed);
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await this.#library.close();
	}

	#notifyChange(change: LibraryChange): void {
		const { prompts, resources } = change;
		const changes: Change[] = [];
		if (prompts.added.length + prompts.changed.length + prompts.removed.length > 0)
			changes.push({ kind: 'prompts' });
		if (resources.added.length + resources.removed.length + resources.changed.length > 0)
			changes.push({ kind: 'resources' });
		for (const uri of this.#subscribed.uris)
			if (affects(change, uri)) changes.push({ kind: 'resource', uri });
		for (const each of changes) for (const listener of this.#listeners) listener(each);
	}
}
