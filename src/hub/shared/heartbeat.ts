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
	const changes = new Debounce(() => look(), { quietMs: HEARTBEAT_QUIET_MS });
	let stopWatching = (): void => {};
	// Watched before they are read: no change is lost. A file that is written again is a change, too.
	const look = (): void => {
		stopWatching();
		stopWatching = onFirstChange([...folder.files, ...listeners.socketFiles], () => changes.touch());
		save(true);
		void listeners.restoreSocket();
	};
	return new Promise((resolve) => {
		let beats = 0;
		const stop = (): void => {
			clearInterval(timer);
			changes.close();
			stopWatching();
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

/**
 * Call `onChange` at the first change of one of these files; they are watched no more then. Files, not their folders:
 * the journal and the log, which change with every call, are there too. Returns the function that stops it.
 */
function onFirstChange(files: readonly string[], onChange: () => void): () => void {
	const watchers: FSWatcher[] = [];
	const stop = (): void => {
		for (const watcher of watchers.splice(0)) watcher.close();
	};
	const changed = (): void => {
		stop();
		onChange();
	};
	for (const file of files) {
		// One that is not there is written again by the same look.
		const watcher = attempt(() => watch(file, { persistent: false }, changed));
		watcher?.on('error', changed);
		if (watcher) watchers.push(watcher);
	}
	return stop;
}
