/*
 * The one interface of every pipe that carries messages.
 *
 * A message is the text of one JSON value. Whoever opened a transport closes it;
 * closing is idempotent and awaited.
 */
import type { Channel, Receiver } from '../rpc/channel.ts';

export interface Transport extends Channel {
	/** Deliver to `receiver` from now on. Called once; what came before has waited. */
	start(receiver: Receiver): void;
	/** True when nothing more can be sent. */
	readonly isClosed: boolean;
}

/** How many bytes may wait in a writer before `post` says that it is enough for now. */
export const HIGH_WATER_BYTES: number = 1024 * 1024;
