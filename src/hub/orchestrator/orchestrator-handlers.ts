/*
 * The handlers of the hub for peers of the plugin protocol: plugins, and bridges of
 * this and other implementations.
 *
 * A bridge of this implementation opens a tunnel that carries an MCP session. Requests
 * of other peers are routed one by one to the plugin that provides the tool or storage,
 * or to another backend of the hub.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { SharedState } from '../../mcp/server/mcp-session.ts';
import { EXACT_JSON, FEATURES } from '../../plugin/features.ts';
import {
	HealthResult_Status,
	type PluginManifest,
	type RegistrationResultSchema,
} from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers, SubscribedCall } from '../../plugin/server/handlers.ts';
import { readTunnelId } from '../../plugin/tunnel-id.ts';
import type { Transport } from '../../transport/transport.ts';
import { PluginBackend } from '../backends/plugin-backend.ts';
import type { Hub } from '../hub.ts';
import { rateLimited } from '../log-rate.ts';
import type { OpenedHub } from '../open-hub.ts';
import { serveSession } from '../serve-session.ts';
import { EventHub } from './event-hub.ts';
import { storageRoutes } from './storage-routes.ts';
import { toolRoutes } from './tool-routes.ts';

export interface OrchestratorParts {
	/** The hub and its storage; called after they are open. */
	readonly opened: () => Pick<OpenedHub, 'hub' | 'storage'>;
	readonly shared: SharedState;
	readonly log: Log;
	/** Details for `mctl hub status` and `ps`. */
	readonly details: () => Record<string, string>;
	/** A listener for plugins only, without MCP sessions. */
	readonly isPrivate?: boolean;
}

/** The handlers of the hub's listener. */
export function orchestratorHandlers(parts: OrchestratorParts): PluginHandlers {
	const { opened, log } = parts;
	const warn = rateLimited((line) => log.warn(line));
	const info = rateLimited((line) => log.info(line));
	const hub = (): Hub => opened().hub;
	const events = new EventHub();
	return {
		log,
		...toolRoutes(hub),
		...storageRoutes(opened),
		...eventRoutes(events),
		register: (manifest, { peer }) => registration(manifest, peer.name, { ...parts, warn, info }),
		boot: () => ({ ready: true }),
		health: () => ({ status: HealthResult_Status.HEALTHY, message: 'ok', details: parts.details() }),
		...(!parts.isPrivate && {
			tunnel: (transport: Transport, { requestId }: { requestId: string }) =>
				serveSession(transport, { ...parts, ...readTunnelId(requestId) }),
		}),
	};
}

/**
 * A link may register only the plugin that its certificate names. Nothing is kept of plugins that are not
 * configured, so registrations use no memory, and their log lines are rate-limited.
 */
function registration(
	manifest: PluginManifest,
	peerName: string,
	{ opened, log, isPrivate, warn, info }: OrchestratorParts & Record<'warn' | 'info', (line: string) => void>,
): MessageInitShape<typeof RegistrationResultSchema> {
	const id = manifest.id.slice(0, SHOWN_CHARACTERS);
	if (peerName !== manifest.id && peerName !== `${manifest.id}-client`) {
		const rejectReason = `the certificate of this link is for "${peerName}", so it cannot register as "${id}"`;
		warn(`a registration was refused: ${rejectReason}`);
		return { accepted: false, rejectReason };
	}
	const plugin = opened().hub.backends.find((backend) => backend.id === manifest.id);
	if (plugin instanceof PluginBackend) {
		plugin.registered(manifest);
		info(`${id} registered`);
	} else log.debug(`${id} registered; it is not a configured plugin`);
	return { accepted: true, features: isPrivate ? [EXACT_JSON] : [...FEATURES] };
}

const SHOWN_CHARACTERS = 80;

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
			if (topic === '') throw new OrchestraError('bad_input', 'publish requires a topic');
			events.publish({ topic, eventType, payload: payload ?? {}, sourcePlugin });
		},
	};
}
