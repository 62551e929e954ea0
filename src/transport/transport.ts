/*
 * The interface of every message transport.
 *
 * A message is the text of one JSON value. The opener of a transport closes it.
 */
import type { Channel, Receiver } from '../rpc/channel.ts';
import type { Id } from '../wire/json-rpc.ts';

/** A bidirectional message pipe. */
export interface Transport extends Channel {
	/** Start delivery to `receiver`. Call once; earlier messages were buffered. */
	start(receiver: Receiver): void;
	/** True when nothing more can be sent. */
	readonly isClosed: boolean;
	/** True when the server answers every request it receives, so that its silence means that it is slow. */
	readonly isRemote?: boolean;
	/** While a message is delivered: our request on whose stream it came. Undefined where all messages share one stream. */
	readonly streamId?: Id | undefined;
}
