/*
 * The library of markdown as a backend. Its code is loaded and its files are read
 * when they are first needed, or when the hub has nothing else to do.
 */
import type { LibraryChange } from '../library/change.ts';
import type { Library } from '../library/library.ts';
import type { LibraryPaths } from '../library/paths.ts';
import type { Log } from '../log.ts';
import type { Change, CompleteParams, GetPromptParams } from '../mcp/provider.ts';
import type {
	CompleteResult,
	GetPromptResult,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
} from '../mcp/types.ts';
import type { Backend } from './backend.ts';

const SCHEME = 'orchestr8://';

export class LibraryBackend implements Backend {
	readonly id = 'library';
	readonly kind = 'library';
	readonly qualifiesNames = false;
	readonly #paths: LibraryPaths;
	readonly #log: Log;
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #watched = new Set<string>();
	#library: Promise<Library> | undefined;

	constructor(paths: LibraryPaths, log: Log) {
		this.#paths = paths;
		this.#log = log;
	}

	get state(): string {
		return this.#library ? 'open' : 'known';
	}

	warm(): void {
		// Whoever needs the library gets the same failure, with its reason.
		this.#open().catch(() => {});
	}

	async listPrompts(): Promise<readonly Prompt[]> {
		return (await (await this.#open()).listPrompts()).map((prompt) => ({ ...prompt }));
	}

	async getPrompt({ name, arguments: input }: GetPromptParams): Promise<GetPromptResult> {
		const { messages, ...rest } = await (await this.#open()).getPrompt(name, input);
		return { ...rest, messages: messages.map(({ role, content }) => ({ role, content: { ...content } })) };
	}

	async listResources(): Promise<readonly Resource[]> {
		return (await (await this.#open()).listResources()).map((resource) => ({ ...resource }));
	}

	async listResourceTemplates(): Promise<readonly ResourceTemplate[]> {
		return (await (await this.#open()).listResourceTemplates()).map((template) => ({ ...template }));
	}

	async readResource(uri: string): Promise<ReadResourceResult> {
		const { contents } = await (await this.#open()).readResource(uri);
		return { contents: contents.map((content) => ({ ...content })) };
	}

	ownsUri(uri: string): boolean {
		return uri.startsWith(SCHEME);
	}

	async complete({ ref, argument, context }: CompleteParams): Promise<CompleteResult> {
		const library = await this.#open();
		const { name = '', uri = '' } = ref;
		const reference =
			ref.type === 'ref/prompt'
				? ({ type: 'ref/prompt', name } as const)
				: ({ type: 'ref/resource', uri } as const);
		return { completion: await library.complete(reference, argument, context) };
	}

	watchResource(uri: string, isWatched: boolean): void {
		if (isWatched) this.#watched.add(uri);
		else this.#watched.delete(uri);
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await (await this.#library)?.close();
	}

	#open(): Promise<Library> {
		this.#library ??= this.#load();
		return this.#library;
	}

	async #load(): Promise<Library> {
		const { Library: LibraryClass } = await import('../library/library.ts');
		const library = LibraryClass.open({ ...this.#paths, log: this.#log, watch: true });
		const { affects } = await import('../library/change.ts');
		library.onChange((change) => this.#tell(change, (uri) => affects(change, uri)));
		return library;
	}

	#tell({ prompts, resources }: LibraryChange, isAffected: (uri: string) => boolean): void {
		const changes: Change[] = [];
		if (prompts.added.length + prompts.changed.length + prompts.removed.length > 0)
			changes.push({ kind: 'prompts' });
		if (resources.added.length + resources.removed.length + resources.changed.length > 0)
			changes.push({ kind: 'resources' });
		for (const uri of this.#watched) if (isAffected(uri)) changes.push({ kind: 'resource', uri });
		for (const change of changes) for (const listener of this.#listeners) listener(change);
	}
}
