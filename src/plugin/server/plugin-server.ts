/* Listen for peers that speak orchestra.plugin.v1, and answer them with handlers. */
import type { LinkListener, ListenOptions } from '../../link/link.ts';
import { type LinkChoice, listen } from '../../link/open-link.ts';
import type { PluginHandlers } from './handlers.ts';
import { RunningStreams } from './running-streams.ts';
import { serveStream } from './stream-server.ts';

/** Everything that `listen` takes, but for the streams: those are served by `handlers`. */
export interface PluginServerOptions extends Omit<ListenOptions, 'onStream'>, LinkChoice {
	handlers: PluginHandlers;
}

/** Start a server. Whoever started it closes it. */
export function servePlugin(options: PluginServerOptions): Promise<LinkListener> {
	const { handlers, ...rest } = options;
	const running = new RunningStreams();
	return listen({ ...rest, onStream: (stream, peer) => serveStream(stream, peer, handlers, running) });
}
