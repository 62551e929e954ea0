/* The markdown library as a source. */
import type { OpenEmbeddings } from '../../library/embeddings/open-embeddings.ts';
import type { Fragment } from '../../library/files/fragment.ts';
import type { PathSources } from '../../library/files/paths.ts';
import type { FindOptions, Library } from '../../library/library.ts';
import type { FoundFragment } from '../../library/match/finder.ts';
import type { Log } from '../../log.ts';
import { answerBy, type CallAnswers } from '../../mcp/server/methods.ts';
import type { Call, Capability, Change, CompleteParams, GetPromptParams } from '../../mcp/server/provider.ts';
import { ResourceSubscriptions } from '../../mcp/server/resource-subscriptions.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import type {
	Awaitable,
	CompleteResult,
	GetPromptResult,
	ReadResourceResult,
	Result,
} from '../../protocol/mcp-types.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { LIBRARY_LABEL } from '../catalogue/names.ts';
import { LocalSkillIndex } from '../skills/local-skill-index.ts';
import type { Can, Source } from '../source.ts';
import type { SourceStatus } from '../source-status.ts';

export interface LibrarySourceOptions {
	readonly paths: PathSources;
	readonly log: Log;
	/** The model that the user chose for search, if any. */
	readonly embeddings?: OpenEmbeddings | undefined;
	/** Equal for the same folders. */
	readonly configurationKey: string;
}

/** The code of the library is loaded on first use: most sessions need none of it. */
export class LibrarySource
	implements Source, Can<'ownsUri' | 'subscribeResource' | 'warm' | 'listDocuments' | 'configurationKey'>
{
	readonly id = 'library';
	readonly kind = 'library';
	readonly capabilities: readonly Capability[] = ['prompts', 'resources', 'completions', 'skills'];
	readonly configurationKey: string;
	readonly #options: LibrarySourceOptions;
	#opened: Promise<Library> | undefined;
	readonly #listeners = new Listeners<Change>();
	readonly #subscribed = new ResourceSubscriptions();
	readonly #skills = new LocalSkillIndex(LIBRARY_LABEL, async () => (await this.#library()).listSkills());
	readonly #answers: CallAnswers = {
		...this.#skills.answers,
		'prompts/get': (params) => this.#getPrompt(params),
		'resources/read': ({ uri }) => this.#read(uri),
		'completion/complete': (params) => this.#complete(params),
	};

	constructor(options: LibrarySourceOptions) {
		this.#options = options;
		this.configurationKey = options.configurationKey;
	}

	get status(): SourceStatus {
		return { state: this.#opened ? 'ready' : 'known' };
	}

	ownsUri(uri: string): boolean {
		return uri.startsWith('orchestr8://') || this.#skills.owns(uri);
	}

	warm(): void {
		this.#library().catch(() => {}); // the first call gets the failure
	}

	/** Copies: the types of the protocol are open to more members. */
	async list(kind: ItemKind): Promise<readonly Item[]> {
		switch (kind) {
			case 'tools':
				return [];
			case 'prompts':
				return (await (await this.#library()).listPrompts()).map((prompt) => ({ ...prompt }));
			case 'resources':
				return [
					...(await (await this.#library()).listResources()).map((resource) => ({ ...resource })),
					...(await this.#skills.resources()),
				];
			case 'skills':
				return this.#skills.list();
			case 'templates':
				return (await (await this.#library()).listResourceTemplates()).map((template) => ({ ...template }));
		}
	}

	request(call: Call): Awaitable<Result> {
		return answerBy(this.#answers, call);
	}

	async #read(uri: string): Promise<ReadResourceResult> {
		if (this.#skills.owns(uri)) return this.#skills.read(uri);
		const { contents } = await (await this.#library()).readResource(uri);
		return { contents: contents.map((content) => ({ ...content })) };
	}

	async #getPrompt({ name, arguments: input }: GetPromptParams): Promise<GetPromptResult> {
		const { messages, ...rest } = await (await this.#library()).getPrompt(name, input);
		return { ...rest, messages: messages.map(({ role, content }) => ({ role, content: { ...content } })) };
	}

	async #complete({ ref, argument, context }: CompleteParams): Promise<CompleteResult> {
		const { name = '', uri = '' } = ref;
		const reference =
			ref.type === 'ref/prompt'
				? ({ type: 'ref/prompt', name } as const)
				: ({ type: 'ref/resource', uri } as const);
		return { completion: await (await this.#library()).complete(reference, argument, context) };
	}

	async findDocuments(query: string, options: FindOptions): Promise<FoundFragment> {
		return (await this.#library()).find(query, options);
	}

	async listDocuments(): Promise<readonly Fragment[]> {
		return (await this.#library()).listDocuments();
	}

	async ready(): Promise<void> {
		// The first call gets the failure.
		await this.#library().then(
			(library) => library.ready(),
			() => {},
		);
	}

	subscribeResource(uri: string, isSubscribed: boolean): void {
		this.#subscribed.change(uri, isSubscribed);
	}

	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	async close(): Promise<void> {
		this.#listeners.clear();
		await (await this.#opened)?.close();
	}

	#library(): Promise<Library> {
		this.#opened ??= this.#open();
		return this.#opened;
	}

	async #open(): Promise<Library> {
		const { paths, log } = this.#options;
		const { resolveLibraryPaths } = await import('../../library/files/paths.ts');
		const { Library: Files } = await import('../../library/library.ts');
		const { affects, isEmptyChange } = await import('../../library/change.ts');
		const library = Files.open({
			...resolveLibraryPaths(paths),
			log,
			watch: true,
			embeddings: this.#options.embeddings,
		});
		library.onChange((change) => {
			for (const kind of ['prompts', 'resources'] as const)
				if (!isEmptyChange(change[kind])) this.#listeners.emit({ kind });
			const updated = [...this.#subscribed.uris].filter((uri) => affects(change, uri));
			for (const uri of updated) this.#listeners.emit({ kind: 'resource', uri });
		});
		return library;
	}
}
