/*
 * A library of prompts and resources: two folders of markdown, cached in memory
 * and fresh, with the operations of MCP in plain methods.
 *
 * `open` returns at once and loading starts right after; every method waits for
 * it. So a server answers its first message before ten thousand files are read.
 */
import { resolve } from 'node:path';
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { Listeners } from '../rpc/listeners.ts';
import { differenceOf, isEmptyChange, type LibraryChange } from './change.ts';
import {
	type Completion,
	type CompletionArgument,
	type CompletionReference,
	completePrompt,
	completeUri,
} from './completion.ts';
import type { OpenEmbeddings } from './embeddings/open-embeddings.ts';
import type { Fragment } from './files/fragment.ts';
import { mimeTypes } from './files/fragment.ts';
import { FragmentStore } from './files/fragment-store.ts';
import { LibraryRoot, type LibraryRootOptions } from './files/library-root.ts';
import { Finder, type FoundFragment } from './match/finder.ts';
import { type MatchMode, readMatchRequest } from './match/match-request.ts';
import type { CountTokens } from './match/tokens.ts';
import { fillPrompt, type LibraryPrompt } from './prompt-file.ts';
import { PromptStore } from './prompt-store.ts';
import {
	type ListedPrompt,
	type ListedResource,
	type ListedTemplate,
	listPrompts,
	listResources,
	listTemplates,
} from './resource-listing.ts';
import { ResourceReader } from './resource-reader.ts';
import type { LocalSkill } from './skills/local-skill.ts';
import { PageSkills } from './skills/page-skills.ts';
import { SkillFolder } from './skills/skill-folder.ts';

/** Folders and settings of a library. */
export interface LibraryOptions {
	/** Folder of prompts; none when absent. A missing folder is empty. */
	prompts?: string | undefined;
	/** Folder of resources, one folder a category; none when absent. */
	resources?: string | undefined;
	/** Default: silent. */
	log?: Log | undefined;
	/** Hot reload: read changed files again while open. Default false. */
	watch?: boolean | undefined;
	/** A real tokenizer for budgets; four characters a token otherwise. */
	countTokens?: CountTokens | undefined;
	/** File of word vectors for semantic search. Default: the one of this package. */
	wordVectors?: string | undefined;
	/** The model that the user chose for search. Default: none. */
	embeddings?: OpenEmbeddings | undefined;
}

/** Options of a search; the defaults are those of a `match` URI. */
export interface FindOptions {
	mode?: MatchMode | undefined;
	maxTokens?: number | undefined;
	maxResults?: number | undefined;
	minScore?: number | undefined;
	tags?: readonly string[] | undefined;
	categories?: readonly string[] | undefined;
}

/** The contents of one resource. */
export interface ResourceContents {
	contents: Array<{ uri: string; mimeType: string; text: string }>;
}

/** A prompt with its arguments filled in. */
export interface PromptResult {
	description?: string;
	messages: Array<{ role: 'user'; content: { type: 'text'; text: string } }>;
}

/** A folder of prompts and resources, loaded, indexed and searched. The caller closes it. */
export class Library {
	readonly #log: Log;
	readonly #fragments = new FragmentStore();
	readonly #promptStore = new PromptStore();
	readonly #prompts: LibraryRoot | undefined;
	readonly #resources: LibraryRoot | undefined;
	readonly #listeners = new Listeners<LibraryChange>();
	readonly #finder: Finder;
	readonly #reader: ResourceReader;
	readonly #skillFolder: SkillFolder | undefined;
	readonly #pageSkills: PageSkills;
	readonly #loaded: Promise<void>;
	#known: { resources: ReadonlyMap<string, string>; prompts: ReadonlyMap<string, string> } | undefined;

	private constructor(options: LibraryOptions) {
		const { prompts, resources, log = Log.silent, watch = false, countTokens } = options;
		const { wordVectors, embeddings } = options;
		this.#log = log;
		const shared = { log, watch, onRefreshed: () => this.#notify() };
		const open = (
			root: string | undefined,
			source: Pick<LibraryRootOptions, 'label' | 'extensions' | 'store'>,
		) => (root === undefined ? undefined : new LibraryRoot({ ...shared, ...source, root: resolve(root) }));
		this.#prompts = open(prompts, { label: 'prompts', extensions: ['.md'], store: this.#promptStore });
		this.#resources = open(resources, {
			label: 'resources',
			extensions: Object.keys(mimeTypes),
			store: this.#fragments,
		});
		const { folder } = this.#resources ?? {};
		this.#finder = new Finder({
			fragments: this.#fragments,
			folder,
			log,
			countTokens,
			wordVectors,
			embeddings,
		});
		this.#skillFolder = folder && new SkillFolder(folder.path, 'resources', log);
		this.#pageSkills = new PageSkills({
			pages: () => this.#fragments.list(),
			textOf: (page) => this.#finder.textOf(page),
			prompts: () => this.#promptStore.prompts,
		});
		this.#reader = new ResourceReader({ fragments: this.#fragments, finder: this.#finder, log });
		this.#loaded = this.#load();
	}

	/** Open the folders. Returns at once; the caller closes the library. */
	static open(options: LibraryOptions): Library {
		return new Library(options);
	}

	/** Resolves when everything is loaded. All other methods wait for it by themselves. */
	ready(): Promise<void> {
		return this.#loaded;
	}

	async listResources(): Promise<ListedResource[]> {
		await this.#loaded;
		return listResources(this.#fragments);
	}

	/** All documents, sorted by URI, with their tokens. */
	async listDocuments(): Promise<readonly Fragment[]> {
		await this.#loaded;
		return this.#fragments.list();
	}

	async listResourceTemplates(): Promise<ListedTemplate[]> {
		await this.#loaded;
		return listTemplates();
	}

	/** Throws `not_found` for an unknown URI, `bad_input` for wrong parameters of a match. */
	async readResource(uri: string): Promise<ResourceContents> {
		await this.#loaded;
		const found = await this.#reader.read(uri);
		if (!found) throw new OrchestraError('not_found', `Resource not found: ${uri}`, { data: { uri } });
		return { contents: [{ uri, ...found }] };
	}

	async listPrompts(): Promise<ListedPrompt[]> {
		await this.#loaded;
		return listPrompts(this.#promptStore.prompts);
	}

	/** Throws `not_found`, or `bad_input` naming a required argument that is missing. */
	async getPrompt(name: string, given: Readonly<Record<string, string>> = {}): Promise<PromptResult> {
		const prompt = await this.#prompt(name);
		const wrong = Object.entries(given).find(([, value]) => typeof value !== 'string');
		if (wrong) throw new OrchestraError('bad_input', `argument "${wrong[0]}" is not a string`);
		const text = fillPrompt(prompt, given);
		const description = prompt.description ?? prompt.title;
		return {
			...(description === undefined ? {} : { description }),
			messages: [{ role: 'user', content: { type: 'text', text } }],
		};
	}

	/** Its folders with a SKILL.md, and its pages and prompts as skills of one file. Sorted by path. */
	async listSkills(): Promise<readonly LocalSkill[]> {
		await this.#loaded;
		const folders = (await this.#skillFolder?.skills()) ?? [];
		const pages = await this.#pageSkills.skills(folders.map(({ path }) => path));
		const taken = new Set(folders.map(({ path }) => path));
		const all = [...folders, ...pages.filter(({ path }) => !taken.has(path))];
		return all.sort((one, other) => (one.path < other.path ? -1 : 1));
	}

	/** @param chosen values of the other arguments, by name */
	async complete(
		reference: CompletionReference,
		argument: CompletionArgument,
		chosen?: Readonly<Record<string, string>>,
	): Promise<Completion> {
		if (reference.type === 'ref/prompt') return completePrompt(await this.#prompt(reference.name), argument);
		await this.#loaded;
		return completeUri(this.#fragments, reference.uri, argument, chosen);
	}

	/** The search of `orchestr8://match`, with the matches beside the text. */
	async find(query: string, options: FindOptions = {}): Promise<FoundFragment> {
		await this.#loaded;
		const { tags, categories, ...rest } = options;
		const given = { query, ...rest, tags: tags?.join(','), categories: categories?.join(',') };
		const present = Object.entries(given).filter(([, value]) => value !== undefined);
		const parameters = new Map(present.map(([key, value]) => [key, String(value)]));
		return this.#finder.answer(readMatchRequest(undefined, parameters));
	}

	/** Subscribe to changes; only with `watch`. Returns the function that unsubscribes. */
	readonly onChange: Listeners<LibraryChange>['add'] = this.#listeners.add;

	/** Stop loading and watching. Idempotent. */
	async close(): Promise<void> {
		this.#listeners.clear();
		await Promise.all([this.#prompts?.close(), this.#resources?.close()]);
		await this.#loaded;
	}

	async #load(): Promise<void> {
		// The caller continues first: nothing is read in this tick.
		await new Promise((next) => setImmediate(next));
		await this.#prompts?.load();
		this.#log.info(`Loaded ${this.#promptStore.size} prompts`);
		await this.#resources?.load();
		if (this.#fragments.isIndexed) await this.#finder.settle();
		this.#log.info(`Loaded ${this.#fragments.size} resources`);
		if (this.#resources) this.#log.info('Resource index pre-loaded for dynamic matching');
		this.#known = this.#state();
	}

	async #prompt(name: string): Promise<LibraryPrompt> {
		await this.#loaded;
		const prompt = this.#promptStore.prompts.get(name);
		if (!prompt) throw new OrchestraError('not_found', `Prompt not found: ${name}`, { data: { name } });
		return prompt;
	}

	#state(): { resources: ReadonlyMap<string, string>; prompts: ReadonlyMap<string, string> } {
		const files = this.#fragments.list().map(({ uri, file }): [string, string] => [uri, file]);
		const pages = [...this.#promptStore.prompts].map(([name, { file }]): [string, string] => [name, file]);
		return { resources: stamped(files, this.#resources), prompts: stamped(pages, this.#prompts) };
	}

	#notify(): void {
		const before = this.#known;
		if (!before) return;
		const after = this.#state();
		this.#known = after;
		const change: LibraryChange = {
			resources: differenceOf(before.resources, after.resources),
			prompts: differenceOf(before.prompts, after.prompts),
		};
		if (isEmptyChange(change.resources) && isEmptyChange(change.prompts)) return;
		this.#listeners.emit(change);
	}
}

/** The stamp of the content of each item, by its name. */
function stamped(
	files: readonly [string, string][],
	root: LibraryRoot | undefined,
): ReadonlyMap<string, string> {
	return new Map(files.map(([name, file]) => [name, `${file} ${root?.stamps.get(file)}`]));
}
