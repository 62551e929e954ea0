/* MCP for an orchestrator without a tunnel: a local session whose provider calls the orchestrator. */

import type { Link } from '../link/link.ts';
import type { Log } from '../log.ts';
import { McpSession, sharedState } from '../mcp/server/mcp-session.ts';
import { PluginClient } from '../plugin/client/plugin-client.ts';
import { EXACT_JSON } from '../plugin/features.ts';
import { memoryPair } from '../transport/memory-transport.ts';
import type { DialedHub } from './dial-hub.ts';
import { OrchestratorProvider } from './orchestrator-provider.ts';

/** Closing the hub closes the link. */
export function openTranslation(
	link: Link,
	features: ReadonlySet<string>,
	options: { sessionId: string; log: Log },
): DialedHub {
	const client = new PluginClient(link);
	const provider = new OrchestratorProvider(client, options.sessionId, features.has(EXACT_JSON));
	const [transport, far] = memoryPair();
	const shared = sharedState();
	new McpSession(provider, { shared, log: options.log }).serve(far, 'the bridge is closing');
	const close = async (): Promise<void> => {
		await transport.close();
		shared.suspendedCalls.close();
		await client.close();
	};
	return { transport, closed: client.closed, close };
}
