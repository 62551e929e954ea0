/* What a running hub does every second: show that its event loop runs, and keep what others find it by. */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { OpenedHub } from '../open-hub.ts';
import type { HubFolder } from './hub-folder.ts';
import type { HubListeners } from './hub-listeners.ts';
import type { HubRecord } from './hub-record.ts';
import { identityOf } from './process-identity.ts';

/** How often, in milliseconds. */
const HEARTBEAT_MS = 1000;

export interface HeartbeatOptions {
	readonly folder: HubFolder;
	/** As it is now. */
	readonly record: () => HubRecord;
	readonly listeners: HubListeners;
	readonly opened: OpenedHub;
	readonly log: Log;
	/** True when the hub is to end by itself. Asked at each beat. */
	readonly isDone: () => boolean;
}

/** Beat until the signal comes or the hub is done, and once more then. Never rejects. */
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
			void options.listeners.keep();
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
			// A full disk is no reason to stop serving, nor to say so every second.
			const message = messageOf(thrown);
			if (message !== lastWarning) log.warn(`${folder.path} cannot be written: ${message}`);
			lastWarning = message;
		}
	};
}
