/* Everything that the views share: the state of the hub, live; the API; the route; short notices. */
import { effect, type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Listeners } from '../../../rpc/listeners.ts';
import type { CallDetails, CallsEvent } from '../../api/api-calls.ts';
import type { CatalogueReply } from '../../api/api-catalogue.ts';
import type { ApiError, ApprovalRow, DashboardState, DoneReply, LogEvent } from '../../api/api-types.ts';
import { PageRuns } from '../call/page-runs.ts';
import { NOTICE_MS, NOTICES_LIMIT } from '../page-limits.ts';
import { ApiClient, RequestError } from './api-client.ts';
import { EventFeed, type Followed } from './event-feed.ts';
import { type PageRoute, parseRoute } from './route.ts';

/** The result of an action, shown for some seconds. */
export interface Notice {
	readonly id: number;
	readonly text: string;
	readonly command?: string | undefined;
	readonly error?: ApiError | undefined;
}

export class Dashboard {
	readonly state: Signal<DashboardState | undefined> = signal(undefined);
	readonly approvals: Signal<readonly ApprovalRow[]> = signal([]);
	readonly catalogue: Signal<CatalogueReply | undefined> = signal(undefined);
	/** The newest version that the hub announced. */
	readonly catalogueVersion: Signal<number | undefined> = signal(undefined);
	readonly notices: Signal<readonly Notice[]> = signal([]);
	/** The call that is followed. */
	readonly call: Signal<CallDetails | undefined> = signal(undefined);
	readonly api: ApiClient = new ApiClient(() => this.feed.signOut());
	readonly runs: PageRuns = new PageRuns(this.api);
	readonly router: PageRouter = new PageRouter();
	readonly feed: EventFeed;
	readonly #callListeners = new Listeners<Pick<CallsEvent, 'rows' | 'dropped'>>();
	readonly #logListeners = new Listeners<LogEvent>();
	#notices = 0;
	#isFetchingCatalogue = false;
	#isCatalogueStale = false;

	constructor() {
		this.feed = new EventFeed({
			state: (state) => this.#takeState(state),
			approvals: ({ approvals }) => {
				this.approvals.value = approvals;
			},
			calls: (event) => this.#callListeners.emit(event),
			call: (call) => {
				this.call.value = call;
			},
			log: (event) => this.#logListeners.emit(event),
			catalogue: ({ version }) => {
				this.catalogueVersion.value = version;
				if (this.catalogue.peek() && this.catalogue.peek()?.version !== version) void this.loadCatalogue();
			},
		});
		effect(() => {
			// A hub that was started again counts its versions anew.
			if (this.feed.opened.value > 1 && this.catalogue.peek()) void this.loadCatalogue();
		});
	}

	/** Call a listener with each event of calls. Returns the function that removes it. */
	get onCalls(): Listeners<Pick<CallsEvent, 'rows' | 'dropped'>>['add'] {
		return this.#callListeners.add;
	}

	/** The same for the lines of the server that is followed. */
	get onLog(): Listeners<LogEvent>['add'] {
		return this.#logListeners.add;
	}

	follow(followed: Followed): void {
		if (this.call.peek()?.number !== followed.call) this.call.value = undefined;
		this.feed.follow(followed);
	}

	/** Fetch the catalogue; one fetch at a time, and once more when it changed meanwhile. */
	async loadCatalogue(): Promise<void> {
		this.#isCatalogueStale = true;
		if (this.#isFetchingCatalogue) return;
		this.#isFetchingCatalogue = true;
		try {
			while (this.#isCatalogueStale) {
				this.#isCatalogueStale = false;
				this.catalogue.value = await this.api.get<CatalogueReply>('/api/catalogue');
			}
		} catch (thrown) {
			this.notify({ text: 'The catalogue could not be read.', error: RequestError.describe(thrown) });
		} finally {
			this.#isFetchingCatalogue = false;
		}
	}

	/** Make a change and show what happened, with the command that does the same. */
	async act(messages: { done: string; failed: string }, path: string, body: object): Promise<boolean> {
		try {
			const { command, message } = await this.api.post<DoneReply>(path, body);
			this.notify({ text: message ?? messages.done, command });
			return true;
		} catch (thrown) {
			this.notify({ text: messages.failed, error: RequestError.describe(thrown) });
			return false;
		}
	}

	notify(notice: Omit<Notice, 'id'>): void {
		const id = ++this.#notices;
		this.notices.value = [...this.notices.peek(), { ...notice, id }].slice(-NOTICES_LIMIT);
		setTimeout(() => this.dismiss(id), NOTICE_MS);
	}

	dismiss(id: number): void {
		this.notices.value = this.notices.peek().filter((notice) => notice.id !== id);
	}

	#takeState(state: DashboardState): void {
		this.state.value = state;
		this.approvals.value = state.approvals;
	}
}

/** The view that is open, as the browser has it in its address and its history. */
class PageRouter {
	readonly route: Signal<PageRoute>;
	#hash = location.hash;

	constructor() {
		this.route = signal(parseRoute(this.#hash));
		addEventListener('hashchange', () => this.#follow());
	}

	/** The view changes at once: the next key may come before the event of the browser. */
	open(href: string): void {
		location.hash = href;
		this.#follow();
	}

	/** Change the address without a new entry in the history, as while the user types. */
	replace(href: string): void {
		history.replaceState(null, '', href);
		this.#follow();
	}

	#follow(): void {
		if (this.#hash === location.hash) return;
		this.#hash = location.hash;
		this.route.value = parseRoute(this.#hash);
	}
}

const DashboardContext = createContext<Dashboard | undefined>(undefined);
export const DashboardProvider = DashboardContext.Provider;

/** The dashboard of this page. */
export function useDashboard(): Dashboard {
	const dashboard = useContext(DashboardContext);
	if (!dashboard) throw new Error('there is no dashboard around this component');
	return dashboard;
}
