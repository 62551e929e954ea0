/*
 * The hub towards peers that speak the plugin protocol: plugins that dial in, and
 * bridges, ours and those of others.
 *
 * Our own bridges get a tunnel with a whole MCP face at its end. Everybody else is
 * answered kind by kind, routed to the plugin that provides a thing, or to any other
 * backend of the hub.
 */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { Face, type SharedState } from '../mcp/face.ts';
import { FEATURES } from '../plugin/features.ts';
import { HealthResult_Status, type PluginManifest } from '../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers, SubscribedCall } from '../plugin/handlers.ts';
import { TUNNEL_ID } from '../plugin/tunnel.ts';
import { Peer } from '../rpc/peer.ts';
import type { Transport } from '../transport/transport.ts';
import { EventHub } from './events/event-hub.ts';
import type { Hub } from './hub.ts';
import type { OpenedHub } from './open-hub.ts';
import { storageRoutes } from './orchestrator-storage.ts';
import { toolRoutes } from './orchestrator-tools.ts';

export interface OrchestratorParts {
	/** The hub and its storage, once they are open. */
	readonly opened: () => Pick<OpenedHub, 'hub' | 'storage'>;
	readonly shared: SharedState;
	readonly log: Log;
	/** Facts for `mctl hub status` and `ps`, as texts by name. */
	readonly details: () => Record<string, string>;
}

/** The handlers of the hub's own listener. */
export function orchestratorHandlers(parts: OrchestratorParts): PluginHandlers {
	const { opened, log } = parts;
	const hub = (): Hub => opened().hub;
	const manifests = new Map<string, PluginManifest>();
	const events = new EventHub();
	return {
		log,
		...toolRoutes(hub, manifests),
		...storageRoutes(opened, manifests),
		...eventRoutes(events),
		register(manifest) {
			manifests.set(manifest.id, manifest);
			log.info(`${manifest.id} registered`);
			return { accepted: true, features: [...FEATURES] };
		},
		boot: () => ({ ready: true }),
		health: () => ({ status: HealthResult_Status.HEALTHY, message: 'ok', details: parts.details() }),
		tunnel: (transport, { requestId }) => serveTunnel(transport, sessionIdOf(requestId), parts),
	};
}

/** MCP in full at the end of a tunnel. */
function serveTunnel(
	transport: Transport,
	sessionId: string | undefined,
	{ opened, shared, log }: OrchestratorParts,
): void {
	const face = new Face(opened().hub, { shared, log, sessionId });
	const peer = new Peer(transport, {
		...face.peerOptions,
		log,
		onEnd: () => {
			face.close();
			peer.cancelIncoming('the client is gone');
		},
	});
	face.connect(peer);
	transport.start(peer);
}

/** A bridge names its session, which outlives the tunnel; undefined for one that does not. */
function sessionIdOf(requestId: string): string | undefined {
	return requestId.startsWith(TUNNEL_ID) ? requestId.slice(TUNNEL_ID.length) || undefined : undefined;
}

function eventRoutes(events: EventHub): Pick<PluginHandlers, 'subscribe' | 'unsubscribe' | 'publish'> {
	return {
		subscribe({ subscriptionId, topic, filters }, call: SubscribedCall) {
			return new Promise<void>((resolve) => {
				const unsubscribe = events.subscribe(
					{ subscriptionId, topic, filters, owner: call.peer.name },
					(event) => call.deliver({ ...event, timestamp: timestampFromDate(event.timestamp) }),
				);
				const stop = (): void => {
					unsubscribe();
					resolve();
				};
				call.signal.addEventListener('abort', stop, { once: true });
				if (call.signal.aborted) stop();
			});
		},
		unsubscribe: ({ subscriptionId }, { peer }) => void events.unsubscribe(subscriptionId, peer.name),
		publish({ topic, eventType, payload, sourcePlugin }) {
			if (topic === '') throw new OrchestraError('bad_input', 'a publish needs a topic');
			events.publish({ topic, eventType, payload: payload ?? {}, sourcePlugin });
		},
	};
}
