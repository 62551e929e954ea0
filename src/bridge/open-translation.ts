/* MCP for an orchestrator that does not speak it: a face whose provider asks the orchestrator. */
import type { Log } from '../log.ts';
import { Face, sharedState } from '../mcp/face.ts';
import { EXACT_JSON } from '../plugin/features.ts';
import type { PluginClient } from '../plugin/plugin-client.ts';
import { Peer } from '../rpc/peer.ts';
import { memoryPair } from '../transport/memory-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { ExactArguments } from './exact-arguments.ts';
import { OrchestratorProvider } from './orchestrator-provider.ts';

/** The caller closes the transport, and then the client. */
export function openTranslation(
	client: PluginClient,
	{ sessionId, log }: { sessionId: string; log: Log },
): Transport {
	const [near, far] = memoryPair();
	const exact = client.features.has(EXACT_JSON) ? new ExactArguments() : undefined;
	const shared = sharedState();
	const face = new Face(new OrchestratorProvider(client, sessionId, exact), { shared, log });
	const peer = new Peer(far, {
		...face.peerOptions,
		log,
		onEnd: () => {
			face.close();
			shared.parking.close();
			peer.cancelIncoming('the bridge is closing');
		},
	});
	face.connect(peer);
	far.start({
		message: (text) => {
			exact?.note(text);
			peer.message(text);
		},
		oversize: (line) => peer.oversize(line),
		end: (reason) => peer.end(reason),
	});
	return near;
}
