/*
 * The lists of one MCP server: read from disk, from the running server, and again when
 * the server says that it changed.
 *
 * A server that was never seen is started for its lists, and again with backoff until it
 * is known. Until it answers, the lists of the same server of another folder or with other
 * arguments stand in for its own. No client waits for a server whose last start failed, except
 * for one that refused us: it answers at once, and the user may have signed in since.
 * A catalogue that is out of date is used and read again in the background.
 */
import type { ServerSettings } from '../../../config/configuration.ts';
import { hubIdIn } from '../../../config/self-entry.ts';
import { firstLine, messageOf, OrchestraError } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { Change } from '../../../mcp/server/provider.ts';
import type { ItemKind } from '../../../protocol/item-lists.ts';
import type { Awaitable } from '../../../protocol/mcp-types.ts';
import { redact } from '../../../redact.ts';
import { Backoff } from '../../../rpc/backoff.ts';
import { inOrder } from '../../../rpc/in-order.ts';
import { RESTART_FIRST_MS, RESTART_MAX_MS } from '../../../rpc/rpc-limits.ts';
import { encodeJson } from '../../../wire/json-text.ts';
import { needsSignIn } from '../../source-status.ts';
import { type ChangedList, readsOfChanges } from './list-changes.ts';
import type { ServerPool } from './process/server-pool.ts';
import type { ServerProcess } from './process/server-process.ts';
import { readServerLists } from './read-server-lists.ts';
import {
	type CachedServer,
	type CacheFiles,
	isStale,
	readFailure,
	readKnown,
	readLatest,
	writeFailure,
	writeKnown,
	writeKnownLater,
} from './server-cache.ts';
import type { McpSourceOptions } from './server-deps.ts';

export interface ServerCatalogueDeps
	extends Pick<McpSourceOptions, 'entry' | 'environment' | 'learning' | 'waitsForFailed' | 'log'> {
	/** The cache of the lists, on disk. */
	readonly files: CacheFiles;
	/** Its processes. The lister may stay after the first list when it serves all clients. */
	readonly pool: ServerPool;
	/** Called whenever the lists are read, before they are used and before `onChange`. */
	readonly onRead: (known: CachedServer, source: ListOrigin) => void;
	readonly onChange: (change: Change) => void;
}

/** Where lists come from: its file, the file of a server like it, or the server itself. */
export type ListOrigin = 'disk' | 'stand-in' | 'server';

const changedBy: Readonly<Record<ChangedList, readonly ItemKind[]>> = {
	tools: ['tools'],
	prompts: ['prompts'],
	resources: ['resources', 'templates', 'skills'],
};

const changedLists = Object.keys(changedBy) as ChangedList[];

export class ServerCatalogue {
	readonly #deps: ServerCatalogueDeps;
	readonly #settings: ServerSettings;
	readonly #pool: ServerPool;
	#known: CachedServer | undefined;
	/** True when `#known` are the lists of a server like it. */
	#isStandIn = false;
	/** Why its last start failed, in this process or an earlier one. */
	#failure: OrchestraError | undefined;
	#needsSignIn = false;
	#isLoaded = false;
	#isWarm = false;
	#wasListed = false;
	readonly #closing = new AbortController();
	#discovering: Promise<CachedServer> | undefined;
	/** Reads of a running server, one after the other. */
	readonly #inOrder = inOrder();
	#retry: NodeJS.Timeout | undefined;
	readonly #retryBackoff = new Backoff(RESTART_FIRST_MS, RESTART_MAX_MS);
	/** Writes of the file, one after the other. */
	#writing: Promise<void> = Promise.resolve();

	constructor(deps: ServerCatalogueDeps) {
		this.#deps = deps;
		this.#settings = deps.entry.settings;
		this.#pool = deps.pool;
	}

	/** Undefined for a server that was never seen, nor one like it. */
	get known(): CachedServer | undefined {
		if (!this.#isLoaded) this.#load();
		return this.#known;
	}

	/** The same without the lists of a server like it. */
	get confirmed(): CachedServer | undefined {
		const { known } = this;
		return this.#isStandIn ? undefined : known;
	}

	/** Why a server without lists is not started for them: the user stopped it, or its last start failed. */
	get failure(): OrchestraError | undefined {
		if (this.known !== undefined) return undefined;
		return this.#pool.isStopped ? this.#stopped() : this.#failure;
	}

	/**
	 * Its lists. Starts a server that was never seen. Throws when the user stopped it, and when its last start
	 * failed, unless for lack of authorization.
	 */
	lists(): Awaitable<CachedServer> {
		const { known, failure } = this;
		const mayStart = failure === undefined || (this.#needsSignIn && !this.#pool.isStopped);
		if (known === undefined && mayStart) return this.#discover();
		this.learn();
		if (known) return known;
		throw failure;
	}

	/** Start a server that was never seen, in the background. */
	learn(): void {
		if (this.confirmed || this.#discovering || this.#isClosed || this.#pool.isStopped) return;
		const { lastError, delayMs } = this.#pool.lister.supervisor;
		if (lastError && (delayMs > 0 || !this.#settings.restart)) return;
		this.#discover().catch(() => {}); // logged, and tried again
	}

	/** A list was answered: what is out of date may be read again. */
	answered(): void {
		this.#wasListed = true;
		this.#refreshWhenStale();
	}

	/** The hub has time for work in the background. */
	warm(): void {
		this.#isWarm = true;
		this.#refreshWhenStale();
	}

	/** A process started for a call: its lists may have changed since the last time. */
	started(connection: ServerConnection): void {
		// A retry in the background may still fail at the lists of the server, so no client waits for it.
		if (this.#failure && (!this.#discovering || this.#needsSignIn)) this.#recovered();
		if (this.#discovering) return;
		// The call goes first.
		setImmediate(() => {
			if (connection.endReason || this.#isClosed) return;
			this.read(connection).catch((error: unknown) => this.#deps.log.debug(messageOf(error)));
		});
	}

	/** A list of a running server changed: read it, then notify. */
	readonly changed = readsOfChanges((connection, kind) => this.#readChanged(connection, kind));

	/** Read lists of a running server, after the reads that were requested before. Default: all lists. */
	read(connection: ServerConnection, names?: readonly ItemKind[]): Promise<CachedServer> {
		return this.#inOrder(() => this.#readNow(connection, names));
	}

	/** Resolves when everything is written. */
	async close(): Promise<void> {
		this.#closing.abort(new OrchestraError('closed', `the MCP server ${this.#deps.entry.name} is shut down`));
		clearTimeout(this.#retry);
		await this.#writing;
	}

	get #isClosed(): boolean {
		return this.#closing.signal.aborted;
	}

	#readChanged(connection: ServerConnection, kind: ChangedList): void {
		// A server that ended is listed at its next start.
		const isGone = (): boolean => this.#isClosed || connection.endReason !== undefined;
		if (isGone()) return;
		this.read(connection, changedBy[kind]).catch((error: unknown) => {
			if (!isGone()) this.#deps.log.warn(`the changed ${kind} could not be listed: ${messageOf(error)}`);
		});
	}

	async #readNow(connection: ServerConnection, names?: readonly ItemKind[]): Promise<CachedServer> {
		const { log, environment } = this.#deps;
		const { timeoutMs, maxMs } = this.#settings;
		const known = this.#known;
		const only = known && names && { names };
		const hubId = hubIdIn(environment);
		const found = await readServerLists(connection, { timeoutMs, maxMs, log, known, hubId, ...only });
		this.#store(found);
		return found;
	}

	/** Lists that were answered without this server are read again, and wait for it. */
	#recovered(): void {
		this.#failure = undefined;
		for (const kind of changedLists) this.#deps.onChange({ kind });
	}

	#load(): void {
		this.#isLoaded = true;
		const { files, entry, log, onRead } = this.#deps;
		const { name } = entry;
		try {
			this.#known = readKnown(files);
			if (this.#known) return onRead(this.#known, 'disk');
		} catch (error) {
			log.warn(`${messageOf(error)}; the server is listed again`);
		}
		this.#known = readLatest(files);
		this.#isStandIn = this.#known !== undefined;
		if (this.#known) onRead(this.#known, 'stand-in');
		const failure = this.#deps.waitsForFailed ? undefined : readFailure(files);
		if (failure === undefined) return;
		const { message, needsSignIn: isRefusal } = failure;
		this.#needsSignIn = isRefusal;
		this.#failure = new OrchestraError('closed', `${name} could not be started last time: ${message}`, {
			hint: isRefusal
				? `Run: mctl auth ${name}`
				: 'It is being started again; mctl list servers --check shows whether it works.',
			data: isRefusal ? { status: 401 } : {},
		});
	}

	/** Start the server and read its lists. Single-flight. */
	#discover(): Promise<CachedServer> {
		const start = (): Promise<CachedServer> => (this.confirmed ? this.#start() : this.#learnFirst());
		this.#discovering ??= start().finally(() => {
			this.#discovering = undefined;
		});
		return this.#discovering;
	}

	/** The first start of this server by any process. Followed until it ends, unless the hub is closed before. */
	async #learnFirst(): Promise<CachedServer> {
		const { files, environment } = this.#deps;
		const { startMs: waitMs, learn } = this.#settings;
		const learning = learn ? this.#deps.learning : undefined;
		learning?.begin(files.key);
		try {
			// Loaded here: most hubs know all their servers.
			const { learningTurn } = await import('./process/learning-lock.ts');
			const turn = await learningTurn(files, { environment, waitMs, signal: this.#closing.signal });
			if (turn && 'known' in turn) {
				this.#store(turn.known, 'disk');
				return turn.known;
			}
			return await this.#start().finally(() => turn?.lock.release());
		} finally {
			if (!this.#isClosed) learning?.end(files.key);
		}
	}

	async #start(): Promise<CachedServer> {
		const process = this.#pool.lister;
		if (this.#pool.isStopped) throw this.#stopped();
		try {
			const connection = await process.supervisor.up();
			const known = await this.#readOf(process, connection);
			if (this.#pool.scope !== 'shared') await process.stopUnused();
			return known;
		} catch (error) {
			// The user stopped or restarted it: that is no failure of the server.
			if (process !== this.#pool.lister) return this.#start();
			const isRefusal = needsSignIn(error);
			this.#failed(
				(isRefusal ? undefined : process.supervisor.lastError) ?? OrchestraError.from(error),
				isRefusal,
			);
			this.#tryLater(process);
			throw error;
		}
	}

	#stopped(): OrchestraError {
		const { name } = this.#deps.entry;
		return new OrchestraError('closed', `the MCP server ${name} was stopped by the user`, {
			hint: `mctl server start ${name}, or a call of one of its tools, starts it again.`,
		});
	}

	#failed(error: OrchestraError, isRefusal: boolean): void {
		const { files, log } = this.#deps;
		if (this.#isClosed || this.confirmed) return;
		this.#failure = error;
		this.#needsSignIn = isRefusal;
		try {
			writeFailure(files, { message: redact(firstLine(error.message)), needsSignIn: isRefusal });
		} catch (thrown) {
			log.debug(`the failure could not be saved: ${messageOf(thrown)}`);
		}
	}

	async #readOf(process: ServerProcess, connection: ServerConnection): Promise<CachedServer> {
		const begin = performance.now();
		try {
			const known = await this.read(connection);
			process.supervisor.answered(false);
			return known;
		} catch (error) {
			const failure = process.explain(error, 'list', connection, performance.now() - begin);
			if (!this.#isClosed) this.#deps.log.warn(firstLine(failure.message));
			throw failure;
		}
	}

	/** A server that was never seen has no tools, so no call would start it. */
	#tryLater(process: ServerProcess): void {
		if (this.#isClosed || this.confirmed || !this.#settings.restart) return;
		clearTimeout(this.#retry);
		// A server that runs, and whose lists cannot be read, has no delay of its own.
		const delayMs = Math.max(process.supervisor.delayMs + 1, this.#retryBackoff.nextMs());
		this.#retry = setTimeout(() => {
			if (!this.#pool.isStopped) this.#discover().catch(() => {}); // logged, and tried again
		}, delayMs);
		this.#retry.unref();
	}

	#refreshWhenStale(): void {
		const { confirmed } = this;
		if (!this.#isWarm || !this.#wasListed || !confirmed || !isStale(confirmed)) return;
		this.#wasListed = false;
		this.#refresh().catch((error: unknown) => this.#deps.log.debug(messageOf(error)));
	}

	/** A process that runs knows its lists best; otherwise one is started. */
	async #refresh(): Promise<void> {
		const running = this.#pool.running;
		if (running) return void (await this.read(running));
		if (this.#pool.isStopped) return;
		const process = this.#pool.lister;
		await this.#discover();
		if (!process.wasCalled) await process.stopUnused();
	}

	/** A changed list at once, so that other processes know it; the rest without blocking. */
	#save(found: CachedServer, isChanged: boolean): void {
		const { files, log } = this.#deps;
		const warn = (error: unknown): void =>
			log.warn(`the lists of the server could not be saved: ${messageOf(error)}`);
		if (!isChanged) {
			const isCurrent = (): boolean => this.#known === found;
			this.#writing = this.#writing.then(() => writeKnownLater(files, found, isCurrent)).catch(warn);
			return;
		}
		try {
			writeKnown(files, found);
		} catch (error) {
			warn(error);
		}
	}

	#store(found: CachedServer, origin: ListOrigin = 'server'): void {
		const before = this.#known;
		const isFirst = this.confirmed === undefined;
		this.#known = found;
		this.#isStandIn = false;
		this.#failure = undefined;
		this.#isLoaded = true;
		const changed = changedLists.filter((kind) =>
			changedBy[kind].some((name) => encodeJson(before?.[name] ?? []) !== encodeJson(found[name])),
		);
		if (origin === 'server') this.#save(found, isFirst || changed.length > 0);
		this.#deps.onRead(found, origin);
		for (const kind of changed) if (!this.#isClosed) this.#deps.onChange({ kind });
	}
}
