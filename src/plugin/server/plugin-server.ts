/* A server of orchestra.plugin.v1. */
import type { LinkListener, ListenOptions } from '../../link/link.ts';
import { type LinkChoice, listen } from '../../link/open-link.ts';
import type { PluginHandlers } from './handlers.ts';
import { RunningStreams } from './running-streams.ts';
import { serveStream } from './stream-server.ts';

/** The options of `listen`, with handlers in place of `onStream`. */
export interface PluginServerOptions extends Omit<ListenOptions, 'onStream'>, LinkChoice {
	handlers: PluginHandlers;
}

/** Start a server. The caller closes it. */
export function servePlugin(options: PluginServerOptions): Promise<LinkListener> {
	const { handlers, ...rest } = options;
	const running = new RunningStreams();
	return listen({ ...rest, onStream: (stream, peer) => serveStream(stream, peer, handlers, running) });
}
