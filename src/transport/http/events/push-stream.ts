/*
 * The stream on which a legacy server sends by itself: GET on the URL of the server.
 *
 * It is optional. A server without it answers 405 by the specification, and 404, 400 or a
 * web page in the wild; then it is not tried again. A stream that breaks is opened again
 * with backoff, and not for ever when no event arrives.
 */
import type { Log } from '../../../log.ts';
import { STABLE_STREAM_MS, STREAM_SILENCE } from '../http-client-limits.ts';
import { newPosition, readEvents } from '../response-body.ts';
import { type EventStreamDeps, openStream, waitToReopen } from './event-source.ts';

export interface PushStreamDeps extends EventStreamDeps {
	readonly log: Log;
	/** Session and version. */
	readonly headers: () => Record<string, string>;
	/** The stream worked before, and now the server does not know the session. */
	readonly onSessionLost: () => void;
}

export class PushStream {
	readonly #deps: PushStreamDeps;
	#abort: AbortController | undefined;

	constructor(deps: PushStreamDeps) {
		this.#deps = deps;
	}

	/** Open the stream of the current session; closes the one before. */
	start(): void {
		this.stop();
		this.#abort = new AbortController();
		void this.#run(this.#abort.signal);
	}

	/** Close the stream. */
	stop(): void {
		this.#abort?.abort();
	}

	async #run(signal: AbortSignal): Promise<void> {
		const { wire, flow, limitBytes, log, headers, isBusy, onMessage, onSessionLost } = this.#deps;
		const silence = { ...STREAM_SILENCE, isBusy };
		const onEvent = ({ data }: { data: string }): void => onMessage(data);
		const position = newPosition();
		let hasWorked = false;
		do {
			const opened = await openStream(position, { wire, headers: headers(), signal });
			if (signal.aborted) return;
			if (opened === 'lost' && hasWorked) return onSessionLost();
			if (opened === 'none' || opened === 'lost') return log.debug(`${wire.label.url} has no push stream`);
			if (opened === 'later') continue;
			hasWorked = true;
			flow.add(opened);
			const openedAt = performance.now();
			const end = await readEvents(opened, { limitBytes, position, silence, onEvent });
			if (end === 'too large')
				log.warn(`a message of ${wire.label.url} over ${limitBytes} bytes was dropped`);
			if (performance.now() - openedAt >= STABLE_STREAM_MS) position.idleAttempts = 0;
		} while (await waitToReopen(position, signal));
		if (!signal.aborted)
			log.debug(`${wire.label.url} closes its push stream again and again; it is not opened any more`);
	}
}
