/*
 * What one MCP server offers: read from disk, from the running server, and again when
 * the server says that it changed.
 *
 * A server that was never seen is started for its lists, and again with backoff until it
 * is known. A catalogue that is out of date is used and read again in the background.
 */
import { messageOf } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { ServerListKind } from '../../../mcp/client/list-pages.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { Change } from '../../../mcp/server/provider.ts';
import type { Awaitable } from '../../../protocol/mcp-types.ts';
import { encodeJson } from '../../../wire/json-rpc.ts';
import { isStale, type KnownServer, readKnown, writeKnown, writeKnownLater } from './known-server.ts';
import { listServer } from './list-server.ts';
import type { ServerProcess } from './server-process.ts';

export interface ServerCatalogueOptions {
	/** What is known, on disk. */
	readonly file: string;
	/** The process for lists. */
	readonly lister: () => ServerProcess;
	/** Any process that runs. */
	readonly running: () => ServerConnection | undefined;
	/** Timeout of one page of a list, and of all its pages. */
	readonly timeoutMs: number;
	readonly maxMs: number;
	/** Whether a start that failed is tried again. */
	readonly restart: boolean;
	/** Whether the process may stay after it was listed the first time. */
	readonly keepsLister: boolean;
	readonly log: Log;
	/** Called whenever the lists are read, before they are given to anybody and before `onChange`. */
	readonly onRead: (known: KnownServer, source: 'disk' | 'server') => void;
	readonly onChange: (change: Change) => void;
}

type ListChange = Exclude<Change, { kind: 'resource' | 'log' }>['kind'];

/** Least time between two reads of changed lists, in milliseconds. It doubles for a server that changes with each list. */
const CHANGES_GAP_MS = 500;
/** The largest gap. */
const CHANGES_GAP_LIMIT_MS = 10_000;

/** The changes of a running server. */
interface ChangedLists {
	/** Those whose read has not begun. */
	readonly kinds: Set<ListChange>;
	/** When the next read may begin. */
	nextAt: number;
	gapMs: number;
}

const changedBy: Readonly<Record<ListChange, readonly ServerListKind[]>> = {
	tools: ['tools'],
	prompts: ['prompts'],
	resources: ['resources', 'templates'],
};

export class ServerCatalogue {
	readonly #options: ServerCatalogueOptions;
	#known: KnownServer | undefined;
	#isLoaded = false;
	#isWarm = false;
	#isAsked = false;
	#isClosed = false;
	#discovering: Promise<KnownServer> | undefined;
	/** Reads of a running server, one after the other. */
	#reading: Promise<unknown> = Promise.resolve();
	readonly #changes = new WeakMap<ServerConnection, ChangedLists>();
	#retry: NodeJS.Timeout | undefined;
	/** Writes of the file, one after the other. */
	#writing: Promise<void> = Promise.resolve();

	constructor(options: ServerCatalogueOptions) {
		this.#options = options;
	}

	/** Undefined for a server that was never seen. */
	get known(): KnownServer | undefined {
		if (!this.#isLoaded) this.#load();
		return this.#known;
	}

	/** Whether a tool may be called twice: it changes nothing, or nothing more the second time. */
	isRepeatable(tool: string): boolean {
		const annotations = this.known?.tools.find(({ name }) => name === tool)?.annotations;
		return annotations?.['readOnlyHint'] === true || annotations?.['idempotentHint'] === true;
	}

	/** What it offers. Starts a server that was never seen. */
	lists(): Awaitable<KnownServer> {
		const { known } = this;
		return known ?? this.#discover();
	}

	/** A list was answered: what is out of date may be read again. */
	answered(): void {
		this.#isAsked = true;
		this.#refreshWhenStale();
	}

	/** The hub has time for work in the background. */
	warm(): void {
		this.#isWarm = true;
		this.#refreshWhenStale();
	}

	/** A process started for a call: what it offers may have changed since the last time. */
	started(connection: ServerConnection): void {
		if (this.#discovering) return;
		// The call goes first.
		setImmediate(() => {
			if (connection.endReason || this.#isClosed) return;
			this.read(connection).catch((error: unknown) => this.#options.log.debug(messageOf(error)));
		});
	}

	/** A list of a running server changed: read it, then notify. Changes before the read begins are read at once. */
	changed(connection: ServerConnection, kind: ListChange): void {
		const changes = this.#changes.get(connection) ?? { kinds: new Set(), nextAt: 0, gapMs: 0 };
		this.#changes.set(connection, changes);
		if (changes.kinds.has(kind)) return;
		changes.kinds.add(kind);
		const read = (): void => {
			changes.kinds.delete(kind);
			const now = performance.now();
			changes.gapMs = nextGapMs(changes.gapMs, now - changes.nextAt);
			changes.nextAt = now + changes.gapMs;
			this.#readChanged(connection, kind);
		};
		const waitMs = changes.nextAt - performance.now();
		if (waitMs <= 0) read();
		else setTimeout(read, waitMs).unref();
	}

	/** Read the tools of a running server before its first call. */
	async readTools(connection: ServerConnection): Promise<void> {
		await this.#readNext(() => this.#readNow(connection, ['tools']));
	}

	/** Read all lists of a running server. */
	read(connection: ServerConnection): Promise<KnownServer> {
		return this.#readNext(() => this.#readNow(connection));
	}

	/** Resolves when everything is written. */
	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#retry);
		await this.#writing;
	}

	#readChanged(connection: ServerConnection, kind: ListChange): void {
		// A server that ended is listed at its next start.
		const isGone = (): boolean => this.#isClosed || connection.endReason !== undefined;
		if (isGone()) return;
		this.#readNext(() => this.#readNow(connection, changedBy[kind])).catch((error: unknown) => {
			if (!isGone()) this.#options.log.warn(`the changed ${kind} could not be listed: ${messageOf(error)}`);
		});
	}

	#readNext(read: () => Promise<KnownServer>): Promise<KnownServer> {
		const result = this.#reading.then(read, read);
		this.#reading = result.catch(() => {}); // the caller gets it
		return result;
	}

	async #readNow(connection: ServerConnection, names?: readonly ServerListKind[]): Promise<KnownServer> {
		const { timeoutMs, maxMs, log } = this.#options;
		const known = this.#known;
		const only = known && names && { names };
		const found = await listServer(connection, { timeoutMs, maxMs, log, known, ...only });
		this.#keep(found);
		return found;
	}

	#load(): void {
		this.#isLoaded = true;
		try {
			this.#known = readKnown(this.#options.file);
			if (this.#known) this.#options.onRead(this.#known, 'disk');
		} catch (error) {
			this.#options.log.warn(`${messageOf(error)}; the server is listed again`);
		}
	}

	/** Start the server and read its lists. Single-flight. */
	#discover(): Promise<KnownServer> {
		this.#discovering ??= this.#start().finally(() => {
			this.#discovering = undefined;
		});
		return this.#discovering;
	}

	async #start(): Promise<KnownServer> {
		const process = this.#options.lister();
		try {
			const connection = await process.up();
			const known = await this.#readOf(process, connection);
			if (!this.#options.keepsLister) await process.stopUnused();
			return known;
		} catch (error) {
			this.#tryLater(process);
			throw error;
		}
	}

	async #readOf(process: ServerProcess, connection: ServerConnection): Promise<KnownServer> {
		const begin = performance.now();
		try {
			const known = await this.read(connection);
			process.listed();
			return known;
		} catch (error) {
			throw process.explain(error, 'list', connection, performance.now() - begin);
		}
	}

	/** A server that was never seen has no tools, so no call would start it. */
	#tryLater(process: ServerProcess): void {
		if (this.#isClosed || this.#known || !this.#options.restart) return;
		clearTimeout(this.#retry);
		this.#retry = setTimeout(() => {
			this.#discover().catch(() => {}); // logged, and tried again
		}, process.delayMs + 1);
		this.#retry.unref();
	}

	#refreshWhenStale(): void {
		if (!this.#isWarm || !this.#isAsked || !this.#known || !isStale(this.#known)) return;
		this.#isAsked = false;
		this.#refresh().catch((error: unknown) => this.#options.log.debug(messageOf(error)));
	}

	/** A process that runs knows best what it offers; otherwise one is started. */
	async #refresh(): Promise<void> {
		const running = this.#options.running();
		if (running) return void (await this.read(running));
		const process = this.#options.lister();
		await this.#discover();
		if (!process.wasCalled) await process.stopUnused();
	}

	/** A changed list at once, so that other processes know it; the rest without blocking. */
	#save(found: KnownServer, isChanged: boolean): void {
		const { file, log } = this.#options;
		const warn = (error: unknown): void =>
			log.warn(`what the server offers could not be saved: ${messageOf(error)}`);
		if (!isChanged) {
			const isCurrent = (): boolean => this.#known === found;
			this.#writing = this.#writing.then(() => writeKnownLater(file, found, isCurrent)).catch(warn);
			return;
		}
		try {
			writeKnown(file, found);
		} catch (error) {
			warn(error);
		}
	}

	#keep(found: KnownServer): void {
		const before = this.#known;
		this.#known = found;
		this.#isLoaded = true;
		const changed = (Object.keys(changedBy) as ListChange[]).filter((kind) =>
			changedBy[kind].some((name) => encodeJson(before?.[name] ?? []) !== encodeJson(found[name])),
		);
		this.#save(found, before === undefined || changed.length > 0);
		this.#options.onRead(found, 'server');
		for (const kind of changed) if (!this.#isClosed) this.#options.onChange({ kind });
	}
}

/** The gap after a read. @param quietMs how long nothing changed after the last gap */
export function nextGapMs(lastMs: number, quietMs: number): number {
	if (lastMs === 0 || quietMs >= lastMs) return CHANGES_GAP_MS;
	return Math.min(2 * lastMs, CHANGES_GAP_LIMIT_MS);
}
