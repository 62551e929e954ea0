/* The request id of a bridge's tunnel: the id of its MCP session, and its view of the tools. */

import { percentDecoded } from '../printable.ts';

const PREFIX = 'tunnel:';
const VIEW = '?view=';

export interface TunneledSession {
	/** The id of the session, which outlives the tunnel. */
	readonly sessionId?: string | undefined;
	/** The view of the session. */
	readonly view?: string | undefined;
}

/** The id of a tunnel, for example `tunnel:6f1c…?view=review`. */
export function tunnelId({ sessionId = '', view }: TunneledSession): string {
	return `${PREFIX}${sessionId}${view === undefined ? '' : VIEW + encodeURIComponent(view)}`;
}

/** The session in the id of a tunnel; nothing for the id of another client. */
export function readTunnelId(requestId: string): TunneledSession {
	if (!requestId.startsWith(PREFIX)) return {};
	const [sessionId, view] = requestId.slice(PREFIX.length).split(VIEW);
	return { sessionId: sessionId || undefined, view: view === undefined ? undefined : percentDecoded(view) };
}
