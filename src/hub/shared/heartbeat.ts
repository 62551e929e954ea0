/* The heartbeat of a running hub: shows that its event loop runs, and restores its files and its socket. */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { OpenedHub } from '../open-hub.ts';
import type { HubFolder } from './hub-folder.ts';
import type { HubListeners } from './hub-listeners.ts';
import type { HubRecord } from './hub-record.ts';
import { identityOf } from './process-identity.ts';

/** Interval of the heartbeat, in milliseconds. */
const HEARTBEAT_MS = 1000;

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

/** Run until the signal or `isDone`, with one last heartbeat. Never rejects. */
export function runHeartbeat(signal: AbortSignal, options: HeartbeatOptions): Promise<void> {
	const beat = heartbeatWriter(options);
	return new Promise((resolve) => {
		const stop = (): void => {
			clearInterval(timer);
			beat();
			resolve();
		};
		const timer = setInterval(() => {
			beat();
			void options.listeners.restoreSocket();
			if (options.isDone()) stop();
		}, HEARTBEAT_MS);
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop, { once: true });
	});
}

function heartbeatWriter({ folder, record, opened, log }: HeartbeatOptions): () => void {
	let lastWarning = '';
	return () => {
		try {
			folder.renew(record());
			folder.saveProcesses(opened.hub.processes().flatMap(({ pid }) => identityOf(pid) ?? []));
			lastWarning = '';
		} catch (thrown) {
			// Keep serving with a full disk, and log the error once.
			const message = messageOf(thrown);
			if (message !== lastWarning) log.warn(`${folder.path} cannot be written: ${message}`);
			lastWarning = message;
		}
	};
}
