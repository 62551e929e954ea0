/*
 * The upkeep of a running hub: restores its files and its socket when they go, saves the list of
 * its processes, and ends it when it is done. An idle hub touches no file: the files are watched.
 * Whether its event loop runs, the socket answers.
 */
import { type FSWatcher, watch } from 'node:fs';
import { attempt, messageOf } from '../../errors.ts';
import { Debounce } from '../../files/debounce.ts';
import type { Log } from '../../log.ts';
import { onAbort } from '../../rpc/abortable.ts';
import type { OpenedHub } from '../open-hub.ts';
import type { HubFolder } from './hub-folder.ts';
import type { HubListeners } from './hub-listeners.ts';
import type { HubRecord } from './hub-record.ts';
import { BEATS_PER_LOOK, HEARTBEAT_MS, HEARTBEAT_QUIET_MS } from './shared-limits.ts';

export interface HeartbeatOptions {
	readonly folder: HubFolder;
	/** The current record. */
	readonly record: () => HubRecord;
	readonly listeners: HubListeners;
	readonly opened: OpenedHub;
	readonly log: Log;
	/** True when the hub should shut down; checked at each heartbeat. */
	readonly isDone: () => boolean;
}

/** Run until the signal or `isDone`, and restore the files once more then. Never rejects. */
export function runHeartbeat(signal: AbortSignal, options: HeartbeatOptions): Promise<void> {
	const { folder, listeners, isDone } = options;
	const save = saver(options);
	const watches = new FileWatches(
		() => [...folder.files, ...listeners.socketFiles],
		() => look(),
	);
	// Watched before they are read: no change is lost. A file that is written again is a change, too.
	const look = (): void => {
		watches.renew();
		save(true);
		void listeners.restoreSocket();
	};
	return new Promise((resolve) => {
		let beats = 0;
		const stop = (): void => {
			clearInterval(timer);
			watches.close();
			save(true);
			resolve();
		};
		const timer = setInterval(() => {
			if (++beats % BEATS_PER_LOOK === 0) look();
			else save(false);
			if (isDone()) stop();
		}, HEARTBEAT_MS);
		look();
		onAbort(signal, stop);
	});
}

/** Saves what changed, and with `true` also what is gone. */
function saver({ folder, record, opened, log }: HeartbeatOptions): (isLook: boolean) => void {
	let lastWarning = '';
	let saved = '';
	return (isLook) => {
		const pids = opened.hub.processes().map(({ pid }) => pid);
		const current = JSON.stringify([record(), pids]);
		if (!isLook && saved === current) return;
		try {
			folder.renew(record());
			folder.saveProcesses(pids);
			saved = current;
			lastWarning = '';
		} catch (thrown) {
			saved = '';
			// Keep serving with a full disk, and log the error once.
			const message = messageOf(thrown);
			if (message !== lastWarning) log.warn(`${folder.path} cannot be written: ${message}`);
			lastWarning = message;
		}
	};
}

/** Watches files, not their folders: the journal and the log, which change with every call, are there too. */
class FileWatches {
	readonly #files: () => readonly string[];
	readonly #changes: Debounce;
	#watchers: FSWatcher[] = [];
	#isClosed = false;

	constructor(files: () => readonly string[], onChange: () => void) {
		this.#files = files;
		this.#changes = new Debounce(onChange, { quietMs: HEARTBEAT_QUIET_MS });
	}

	/** Watch the files that are there now. */
	renew(): void {
		this.#release();
		if (this.#isClosed) return;
		for (const file of this.#files()) {
			const watcher = attempt(() => watch(file, { persistent: false }, () => this.#changed()));
			watcher?.on('error', () => this.#changed());
			if (watcher) this.#watchers.push(watcher);
		}
	}

	close(): void {
		this.#isClosed = true;
		this.#changes.close();
		this.#release();
	}

	/** One change is enough: all files are watched anew then. */
	#changed(): void {
		this.#release();
		this.#changes.touch();
	}

	#release(): void {
		for (const watcher of this.#watchers.splice(0)) watcher.close();
	}
}
