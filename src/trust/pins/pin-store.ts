/*
 * The pins of one lock file: read, recorded when a server is seen for the first time,
 * and replaced when a user accepts the tools of today.
 *
 * Several hubs write: each change is made under a lock of the state folder, on the file
 * as it is then. A project that cannot be written has its first pins in the state folder.
 * A server that the lock file does not have any more is compared with the accepted definitions of
 * the state folder: a deleted file accepts nothing.
 */
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { watchFiles } from '../../files/watch-files.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { inOrder } from '../../rpc/in-order.ts';
import {
	type LockContent,
	type LockFile,
	type PinnedPackage,
	type PinnedPackages,
	type PinnedServers,
	readLockFile,
	writeLockFile,
} from './lock-file.ts';
import type { PinPlace } from './pin-place.ts';
import {
	changedFile,
	definitionsFile,
	readDefinitions,
	type ToolDefinitions,
	writeChanged,
	writeDefinitions,
} from './tool-definitions.ts';
import { driftBetween, isContentItem } from './tool-drift.ts';
import { type PinnedTool, pinnedTool, type ToolHashes, toolHashes } from './tool-pin.ts';

/** The pins of all servers, or why they are not known. */
export interface PinSnapshot {
	readonly servers: PinnedServers;
	/** A lock file that cannot be used. */
	readonly problem: OrchestraError | undefined;
}

/** The accepted tools of one server. */
export interface AcceptedTools {
	/** Undefined for a server that was never pinned. */
	readonly pinned: ToolHashes | undefined;
	/** The sentence that the lock file does not have the server any more; then `pinned` is from the state folder. */
	readonly missing: string | undefined;
}

/** The stores of one hub or command, by lock file: the servers of one file share one. */
export type PinStores = Map<string, PinStore>;

/** The store of a place among these; made when it is the first. */
export function pinStoreAt(place: PinPlace, stores: PinStores): PinStore {
	const store = stores.get(place.lockFile) ?? new PinStore(place);
	stores.set(place.lockFile, store);
	return store;
}

export class PinStore {
	readonly place: PinPlace;
	readonly #listeners = new Set<() => void>();
	#snapshot: PinSnapshot | undefined;
	#stopWatching: (() => void) | undefined;
	/** Writes, one after the other. */
	readonly #inOrder = inOrder();

	constructor(place: PinPlace) {
		this.place = place;
	}

	/** The pins, read once and again after each change of a file that is watched. Never throws. */
	read(): PinSnapshot {
		this.#snapshot ??= this.#load();
		return this.#snapshot;
	}

	/** The accepted tools of a server. Never throws; `read` says when the lock file cannot be used. */
	accepted(server: string): AcceptedTools {
		const pinned = this.read().servers.get(server) ?? this.#remembered(server);
		if (pinned === undefined || this.read().servers.has(server)) return { pinned, missing: undefined };
		const { lockFile } = this.place;
		const what = existsSync(lockFile) ? `${server} is missing in ${lockFile}` : `${lockFile} is missing`;
		return { pinned, missing: `${what}; what was accepted is known from ${this.place.folder}` };
	}

	/** The earlier definitions of a server that are known on this machine. */
	definitions(server: string): ToolDefinitions {
		return readDefinitions(definitionsFile(this.place.folder, server));
	}

	/** Pin the tools of a server that was never pinned, and store the definitions of its pinned tools. Tools that were accepted are written again; others wait for a user. */
	record(server: string, tools: readonly Tool[]): Promise<void> {
		return this.#inOrder(async () => {
			const pinned = this.#load().servers.get(server);
			if (pinned !== undefined && this.#hasDefinitions(server, pinned, tools)) return;
			const earlier = pinned ?? this.#remembered(server);
			const isOther = earlier !== undefined && driftBetween(earlier, toolHashes(tools)).length > 0;
			if (pinned === undefined && isOther) return;
			await this.#change(server, tools, (now) => now ?? toolHashes(tools));
		});
	}

	/** Pin one more item of a server that is pinned. What is accepted of it already stays. */
	add(server: string, item: Tool): Promise<void> {
		return this.#inOrder(async () => {
			const pinned = this.#load().servers.get(server);
			if (pinned === undefined || pinned.has(item.name)) return;
			await this.#change(server, [item], (now) => new Map([...toolHashes([item]), ...(now ?? [])]));
		});
	}

	/** Pin the tools of a server as they are now; contents that did not change stay accepted. Throws when the lock file cannot be read or written. */
	accept(server: string, tools: readonly Tool[]): Promise<void> {
		return this.#inOrder(async () => {
			await this.#change(server, tools, (now) => {
				const contents = [...(now ?? [])].filter(([name]) => isContentItem(name));
				return new Map([...contents, ...toolHashes(tools)]);
			});
			await this.#inFolder(() => writeChanged(changedFile(this.place.folder, server), new Map()));
		});
	}

	/** Contents of a server that are not as they were accepted, as they were read last. */
	changedContents(server: string): readonly PinnedTool[] {
		const { pinned } = this.accepted(server);
		const changed = [...readDefinitions(changedFile(this.place.folder, server))];
		return changed
			.filter(([hash, { name }]) => pinned?.has(name) && pinned.get(name) !== hash)
			.map(([, item]) => item);
	}

	/** A content was read; it is shown to the user when it is not as it was accepted. */
	setContent(server: string, item: Tool, isAccepted: boolean): Promise<void> {
		return this.#locked(() => {
			const file = changedFile(this.place.folder, server);
			const changed = readDefinitions(file);
			const others = [...changed].filter(([, { name }]) => name !== item.name);
			if (isAccepted && others.length === changed.size) return;
			const [hash = ''] = toolHashes([item]).values();
			writeChanged(file, new Map(isAccepted ? others : [...others, [hash, pinnedTool(item)]]));
		});
	}

	/** Which packages the servers are. Throws `bad_input` when the lock file is damaged. */
	packages(): PinnedPackages {
		return readLockFile(this.place.lockFile).packages;
	}

	/** Write which package a server is; undefined removes it. Throws when the lock file cannot be read or written. */
	setPackage(server: string, item: PinnedPackage | undefined): Promise<void> {
		const { lockFile } = this.place;
		return this.#locked(() => {
			const lock = readLockFile(lockFile);
			const packages = new Map(lock.packages);
			if (item === undefined) packages.delete(server);
			else packages.set(server, item);
			// A file that says nothing is as good as none.
			if (lock.servers.size + packages.size === 0) rmSync(lockFile, { force: true });
			else writeLockFile(lockFile, { servers: lock.servers, packages }, lock);
		});
	}

	/** Replace the package of a server and, with `tools`, accept those of the new one, in one write. Throws `bad_input` when the lock file names another package than `before`. */
	replacePackage(
		server: string,
		{
			before,
			after,
			tools,
		}: { before: PinnedPackage; after: PinnedPackage; tools?: readonly Tool[] | undefined },
	): Promise<void> {
		const { lockFile } = this.place;
		return this.#locked(() => {
			const lock = readLockFile(lockFile);
			if (!isDeepStrictEqual(lock.packages.get(server), before)) {
				throw new OrchestraError(
					'bad_input',
					`${lockFile} was changed by another program: it has another package for ${server}`,
					{
						hint: 'Nothing was upgraded. Look at the file, and run the command again.',
					},
				);
			}
			const packages = new Map(lock.packages).set(server, after);
			const servers = tools ? new Map(lock.servers).set(server, toolHashes(tools)) : lock.servers;
			writeLockFile(lockFile, { servers, packages }, lock);
			if (tools) this.#storeDefinitions(server, toolHashes(tools), tools);
		});
	}

	/** Call `listener` after each change of the pins, until the returned function is called. */
	watch(listener: () => void): () => void {
		const { lockFile, spareFile } = this.place;
		this.#listeners.add(listener);
		this.#stopWatching ??= watchFiles([lockFile, ...(spareFile === undefined ? [] : [spareFile])], () =>
			this.#use(this.#load()),
		);
		return () => {
			this.#listeners.delete(listener);
			if (this.#listeners.size > 0) return;
			this.#stopWatching?.();
			this.#stopWatching = undefined;
			this.#snapshot = undefined;
		};
	}

	#locked(work: () => void): Promise<void> {
		return this.#inOrder(() => this.#inFolder(work));
	}

	/** Under the lock of the state folder: other programs write the same files. */
	async #inFolder(work: () => void): Promise<void> {
		const { folder } = this.place;
		makeFolders(folder, 0o700);
		assertPrivate(folder);
		await withFolderLock(folder, async () => work());
	}

	async #change(
		server: string,
		tools: readonly Tool[],
		pin: (now: ToolHashes | undefined) => ToolHashes,
	): Promise<void> {
		await this.#inFolder(() => {
			const pinned = this.#write(server, pin);
			// What was written, not what is there now: the watch reports what another program does.
			this.#use({ servers: new Map([...this.#load().servers, [server, pinned]]), problem: undefined });
			this.#storeDefinitions(server, pinned, tools);
		});
	}

	/** The file that has the server keeps it; a new one goes to the project, else to the state folder. */
	#write(server: string, pin: (now: ToolHashes | undefined) => ToolHashes): ToolHashes {
		const { lockFile, spareFile } = this.place;
		const lock = readLockFile(lockFile);
		const spare: LockFile | undefined = spareFile === undefined ? undefined : readLockFile(spareFile);
		const pinned = pin(lock.servers.get(server) ?? spare?.servers.get(server));
		const withServer = ({ servers, packages }: LockFile): LockContent => ({
			servers: new Map([...servers, [server, pinned]]),
			packages,
		});
		try {
			// A project that was removed meanwhile is not made again.
			if (!existsSync(dirname(lockFile))) return pinned;
			writeLockFile(lockFile, withServer(lock), lock);
		} catch (error) {
			if (!isCode(error, 'EACCES', 'EROFS', 'EPERM')) throw OrchestraError.from(error, 'io');
			if (spareFile === undefined || spare === undefined || lock.servers.has(server))
				throw unwritable(lockFile, error);
			writeLockFile(spareFile, withServer(spare), spare);
		}
		return pinned;
	}

	/** The accepted tools of the state folder; undefined when there are none. */
	#remembered(server: string): ToolHashes | undefined {
		const definitions = this.definitions(server);
		return definitions.size === 0
			? undefined
			: new Map([...definitions].map(([hash, { name }]) => [name, hash]));
	}

	#hasDefinitions(server: string, pinned: ToolHashes, tools: readonly Tool[]): boolean {
		const definitions = this.definitions(server);
		return [...toolHashes(tools)].every(([name, hash]) => pinned.get(name) !== hash || definitions.has(hash));
	}

	/** Store the definitions of pinned tools: those of `tools`, and those that were stored before. */
	#storeDefinitions(server: string, pinned: ToolHashes, tools: readonly Tool[]): void {
		const earlier = this.definitions(server);
		const hashes = toolHashes(tools);
		const stored = new Map<string, PinnedTool>();
		for (const [name, hash] of pinned) {
			const tool = hashes.get(name) === hash ? tools.find((each) => each.name === name) : undefined;
			const text = tool ? pinnedTool(tool) : earlier.get(hash);
			if (text) stored.set(hash, text);
		}
		writeDefinitions(definitionsFile(this.place.folder, server), stored);
	}

	#use(snapshot: PinSnapshot): void {
		const before = this.#snapshot;
		this.#snapshot = snapshot;
		if (before && isSame(before, snapshot)) return;
		for (const listener of [...this.#listeners]) listener();
	}

	#load(): PinSnapshot {
		const { lockFile, spareFile } = this.place;
		try {
			const { servers } = readLockFile(lockFile);
			const spare = spareFile === undefined ? [] : readLockFile(spareFile).servers;
			return { servers: new Map([...spare, ...servers]), problem: undefined };
		} catch (error) {
			return { servers: new Map(), problem: OrchestraError.from(error, 'io') };
		}
	}
}

function isSame(one: PinSnapshot, other: PinSnapshot): boolean {
	const text = ({ servers, problem }: PinSnapshot): string =>
		JSON.stringify([problem?.message, [...servers].map(([name, tools]) => [name, [...tools]])]);
	return text(one) === text(other);
}

function unwritable(lockFile: string, cause: unknown): OrchestraError {
	return new OrchestraError('io', `${lockFile} cannot be written: ${messageOf(cause)}`, {
		hint: 'Accept the tools where the project can be written, and commit the file.',
		cause,
		data: { path: lockFile },
	});
}
