/*
 * A backend whose code is loaded when it is first needed, or when the hub has
 * nothing else to do: the start of the hub pays for none of them. What it will
 * offer is said beforehand, so that capabilities are known at once.
 */
import type { Change } from '../../mcp/server/provider.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import type { Backend, BackendKind, OwnedProcess } from './backend.ts';

export interface LazyOptions {
	readonly id: string;
	readonly kind: BackendKind;
	/** Tells it apart from one that would be made of another configuration. */
	readonly madeFrom?: string;
	/** What it will offer once it is loaded. */
	readonly offers: readonly ('tools' | 'prompts' | 'resources' | 'completion')[];
	readonly ownsUri?: (uri: string) => boolean;
	readonly load: () => Promise<Backend>;
}

export class LazyBackend implements Backend {
	readonly id: string;
	readonly kind: BackendKind;
	readonly madeFrom: string;
	readonly qualifiesNames = false;
	readonly ownsUri?: (uri: string) => boolean;
	listTools?: NonNullable<Backend['listTools']>;
	callTool?: NonNullable<Backend['callTool']>;
	listPrompts?: NonNullable<Backend['listPrompts']>;
	getPrompt?: NonNullable<Backend['getPrompt']>;
	listResources?: NonNullable<Backend['listResources']>;
	listResourceTemplates?: NonNullable<Backend['listResourceTemplates']>;
	readResource?: NonNullable<Backend['readResource']>;
	complete?: NonNullable<Backend['complete']>;
	readonly #load: () => Promise<Backend>;
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #subscribed = new Set<string>();
	#loading: Promise<Backend> | undefined;
	#backend: Backend | undefined;

	constructor({ id, kind, madeFrom = '', offers, ownsUri, load }: LazyOptions) {
		this.id = id;
		this.kind = kind;
		this.madeFrom = madeFrom;
		this.#load = load;
		if (ownsUri) this.ownsUri = ownsUri;
		if (offers.includes('tools')) this.#offerTools();
		if (offers.includes('prompts')) this.#offerPrompts();
		if (offers.includes('resources')) this.#offerResources();
		if (offers.includes('completion')) {
			this.complete = (...words) =>
				this.#use((backend) => backend.complete?.(...words), { completion: { values: [] } });
		}
	}

	get state(): string {
		return this.#backend?.state ?? 'known';
	}

	/** The catalogue has asked for the tools before, so the backend is loaded. */
	whyNotListed(tool: string): string | undefined {
		return this.#backend?.whyNotListed?.(tool);
	}

	warm(): void {
		// Whoever needs the backend later gets the same failure, with its reason.
		this.#get().then(
			(backend) => backend.warm?.(),
			() => {},
		);
	}

	async ready(): Promise<void> {
		// A failure to load is told to the first caller that needs the backend.
		await this.#get().then(
			(backend) => backend.ready?.(),
			() => {},
		);
	}

	subscribeResource(uri: string, isSubscribed: boolean): void {
		if (isSubscribed) this.#subscribed.add(uri);
		else this.#subscribed.delete(uri);
		this.#backend?.subscribeResource?.(uri, isSubscribed);
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	processes(): readonly OwnedProcess[] {
		return this.#backend?.processes?.() ?? [];
	}

	async retire(): Promise<void> {
		this.#listeners.clear();
		const backend = await this.#loading;
		await (backend?.retire ? backend.retire() : backend?.close());
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await (await this.#loading)?.close();
	}

	#offerTools(): void {
		this.listTools = () => this.#use((backend) => backend.listTools?.(), []);
		this.callTool = (...words) => this.#use((backend) => backend.callTool?.(...words), undefined);
	}

	#offerPrompts(): void {
		this.listPrompts = () => this.#use((backend) => backend.listPrompts?.(), []);
		this.getPrompt = (...words) => this.#use((backend) => backend.getPrompt?.(...words), undefined);
	}

	#offerResources(): void {
		this.listResources = () => this.#use((backend) => backend.listResources?.(), []);
		this.listResourceTemplates = () => this.#use((backend) => backend.listResourceTemplates?.(), []);
		this.readResource = (...words) => this.#use((backend) => backend.readResource?.(...words), undefined);
	}

	/** What `use` makes of the backend, at once when it is loaded; `otherwise` stands for what it lacks. */
	#use<T>(use: (backend: Backend) => Awaitable<T> | undefined, otherwise: T | undefined): Awaitable<T> {
		const apply = (backend: Backend): Awaitable<T> => {
			const result = use(backend) ?? otherwise;
			if (result === undefined) throw new Error(`${this.id} does not do what it was said to do`);
			return result;
		};
		return this.#backend ? apply(this.#backend) : this.#get().then(apply);
	}

	#get(): Promise<Backend> {
		this.#loading ??= this.#open();
		return this.#loading;
	}

	async #open(): Promise<Backend> {
		const backend = await this.#load();
		backend.onChange?.((change) => {
			for (const listener of this.#listeners) listener(change);
		});
		for (const uri of this.#subscribed) backend.subscribeResource?.(uri, true);
		this.#backend = backend;
		return backend;
	}
}
