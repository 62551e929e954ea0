/*
 * A backend whose code is loaded on first use, or when the hub is idle, so that it
 * does not slow down the start of the hub. The kinds of its lists are declared
 * beforehand, so that the capabilities of the hub are known at once.
 */
import type { OrchestraError } from '../../errors.ts';
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { Change, RootsClient } from '../../mcp/server/provider.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import type {
	Backend,
	BackendCounts,
	BackendKind,
	OwnedProcess,
	ServerLines,
	ServerStatus,
} from './backend.ts';

export interface LazyOptions {
	readonly id: string;
	readonly kind: BackendKind;
	/** Equal for the same configuration. */
	readonly configurationKey?: string;
	/** The kinds of lists that the loaded backend has. */
	readonly offers: readonly ('tools' | 'prompts' | 'resources' | 'completion')[];
	readonly ownsUri?: (uri: string) => boolean;
	/** Whether its names are qualified. Default false. */
	readonly qualifiesNames?: boolean;
	readonly load: () => Promise<Backend>;
}

export class LazyBackend implements Backend {
	readonly id: string;
	readonly kind: BackendKind;
	readonly configurationKey: string;
	readonly qualifiesNames: boolean;
	readonly ownsUri?: (uri: string) => boolean;
	listTools?: NonNullable<Backend['listTools']>;
	callTool?: NonNullable<Backend['callTool']>;
	listPrompts?: NonNullable<Backend['listPrompts']>;
	getPrompt?: NonNullable<Backend['getPrompt']>;
	listResources?: NonNullable<Backend['listResources']>;
	listResourceTemplates?: NonNullable<Backend['listResourceTemplates']>;
	readResource?: NonNullable<Backend['readResource']>;
	complete?: NonNullable<Backend['complete']>;
	serverStatus?: () => ServerStatus;
	instructions?: NonNullable<Backend['instructions']>;
	control?: NonNullable<Backend['control']>;
	findDocuments?: NonNullable<Backend['findDocuments']>;
	listDocuments?: NonNullable<Backend['listDocuments']>;
	readonly #load: () => Promise<Backend>;
	readonly #listeners = new Set<(change: Change) => void>();
	#loading: Promise<Backend> | undefined;
	#backend: Backend | undefined;

	constructor({
		id,
		kind,
		configurationKey = '',
		offers,
		ownsUri,
		qualifiesNames = false,
		load,
	}: LazyOptions) {
		this.id = id;
		this.kind = kind;
		this.configurationKey = configurationKey;
		this.qualifiesNames = qualifiesNames;
		this.#load = load;
		if (kind === 'mcp') {
			this.#offerServer();
			this.control = async (action) => (await this.#get()).control?.(action);
		}
		if (kind === 'library') this.#offerDocuments();
		if (ownsUri) this.ownsUri = ownsUri;
		if (offers.includes('tools')) this.#offerTools();
		if (offers.includes('prompts')) this.#offerPrompts();
		if (offers.includes('resources')) this.#offerResources();
		if (offers.includes('completion')) {
			this.complete = (...args) =>
				this.#use((backend) => backend.complete?.(...args), { completion: { values: [] } });
		}
	}

	get state(): string {
		return this.#backend?.state ?? (this.kind === 'mcp' ? configured.state : 'known');
	}

	get downReason(): string | undefined {
		return this.#backend?.downReason;
	}

	get lastError(): OrchestraError | undefined {
		return this.#backend?.lastError;
	}

	lines(): ServerLines | undefined {
		return this.#backend?.lines?.();
	}

	hasDownTool(name: string): boolean {
		return this.#backend?.hasDownTool?.(name) ?? false;
	}

	claimsUri(uri: string): boolean {
		return this.#backend?.claimsUri?.(uri) ?? false;
	}

	/** The backend is loaded: the catalogue has listed its tools before. */
	unlistedReason(tool: string): string | undefined {
		return this.#backend?.unlistedReason?.(tool);
	}

	warm(): void {
		// The first call gets the same failure.
		this.#get().then(
			(backend) => backend.warm?.(),
			() => {},
		);
	}

	async ready(): Promise<void> {
		// The first call gets the failure.
		await this.#get().then(
			(backend) => backend.ready?.(),
			() => {},
		);
	}

	async subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		await (await this.#get()).subscribeResource?.(uri, isSubscribed, client);
	}

	rootsChanged(client: RootsClient): void {
		this.#backend?.rootsChanged?.(client);
	}

	logLevelChanged(): void {
		this.#backend?.logLevelChanged?.();
	}

	listAnswered(): void {
		this.#backend?.listAnswered?.();
	}

	endSession(sessionId: string): void {
		this.#backend?.endSession?.(sessionId);
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	processes(): readonly OwnedProcess[] {
		return this.#backend?.processes?.() ?? [];
	}

	counts(): BackendCounts | undefined {
		return this.#backend?.counts?.();
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

	#offerServer(): void {
		this.serverStatus = () => this.#backend?.serverStatus?.() ?? { ...configured, name: this.id };
		this.instructions = () =>
			this.#get().then(
				(backend) => backend.instructions?.(),
				() => undefined, // the first call gets the failure
			);
	}

	#offerDocuments(): void {
		this.listDocuments = async () => this.#use((backend) => backend.listDocuments?.(), []);
		this.findDocuments = async (...args) =>
			this.#use((backend) => backend.findDocuments?.(...args), undefined);
	}

	#offerTools(): void {
		this.listTools = () => this.#use((backend) => backend.listTools?.(), []);
		this.callTool = (...args) => this.#use((backend) => backend.callTool?.(...args), undefined);
	}

	#offerPrompts(): void {
		this.listPrompts = () => this.#use((backend) => backend.listPrompts?.(), []);
		this.getPrompt = (...args) => this.#use((backend) => backend.getPrompt?.(...args), undefined);
	}

	#offerResources(): void {
		this.listResources = () => this.#use((backend) => backend.listResources?.(), []);
		this.listResourceTemplates = () => this.#use((backend) => backend.listResourceTemplates?.(), []);
		this.readResource = (...args) => this.#use((backend) => backend.readResource?.(...args), undefined);
	}

	/** Apply `use` to the backend, synchronously when it is loaded; `otherwise` replaces an undefined result. */
	#use<T>(use: (backend: Backend) => Awaitable<T> | undefined, otherwise: T | undefined): Awaitable<T> {
		const apply = (backend: Backend): Awaitable<T> => {
			const result = use(backend) ?? otherwise;
			if (result === undefined)
				throw new Error(`${this.id} does not implement a method that was declared for it`);
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
		this.#backend = backend;
		return backend;
	}
}

/** The status of a server whose backend is not loaded. */
const configured: Omit<ServerStatus, 'name'> = {
	state: 'configured',
	pid: null,
	processes: 0,
	era: null,
	revision: null,
	version: null,
	tools: null,
	lastError: null,
	nextTryAt: null,
	startedAt: null,
	calls: 0,
	logFile: null,
};
