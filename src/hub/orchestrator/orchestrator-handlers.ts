/*
 * The handlers of the hub for peers of the plugin protocol: plugins, and bridges of
 * this and other implementations.
 *
 * A bridge of this implementation opens a tunnel that carries an MCP session. Requests
 * of other peers are routed one by one to the plugin that provides the tool or storage,
 * or to another source of the hub.
 */
import type { Log } from '../../log.ts';
import type { SharedState } from '../../mcp/server/mcp-session.ts';
import { EXACT_JSON, FEATURES } from '../../plugin/features.ts';
import { HealthResult_Status } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';
import { readTunnelId } from '../../plugin/tunnel-id.ts';
import type { Transport } from '../../transport/transport.ts';
import type { Hub } from '../hub.ts';
import { PLUGIN_VALUE_SHOWN_CHARACTERS } from '../hub-limits.ts';
import { rateLimited } from '../log-rate.ts';
import type { OpenedHub } from '../open-hub.ts';
import { serveSession } from '../sessions/serve-session.ts';
import { PluginSource } from '../sources/plugin-source.ts';
import { eventRoutes, PluginEvents } from './plugin-events.ts';
import { storageEndpoints } from './storage-endpoints.ts';
import { toolRoutes } from './tool-routes.ts';

export interface OrchestratorDeps {
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
export function orchestratorHandlers(deps: OrchestratorDeps): PluginHandlers {
	const { opened, log, isPrivate } = deps;
	const warn = rateLimited((line) => log.warn(line));
	const info = rateLimited((line) => log.info(line));
	const hub = (): Hub => opened().hub;
	const events = new PluginEvents(hub, warn);
	return {
		log,
		...toolRoutes(hub),
		...storageEndpoints(opened),
		...eventRoutes(events),
		// A link may register only the plugin that its certificate names. Nothing is stored of plugins that are not
		// configured, so registrations use no memory, and their log lines are rate-limited.
		register(manifest, { peer }) {
			const id = manifest.id.slice(0, PLUGIN_VALUE_SHOWN_CHARACTERS);
			if (peer.name !== manifest.id && peer.name !== `${manifest.id}-client`) {
				const rejectReason = `the certificate of this link is for "${peer.name}", so it cannot register as "${id}"`;
				warn(`a registration was refused: ${rejectReason}`);
				return { accepted: false, rejectReason };
			}
			const plugin = hub().sources.find((source) => source.id === manifest.id);
			if (plugin instanceof PluginSource) {
				plugin.registered(manifest);
				events.subscribeNeeded(plugin);
				info(`${id} registered`);
			} else log.debug(`${id} registered; it is not a configured plugin`);
			return { accepted: true, features: isPrivate ? [EXACT_JSON] : [...FEATURES] };
		},
		boot: () => ({ ready: true }),
		health: () => ({ status: HealthResult_Status.HEALTHY, message: 'ok', details: deps.details() }),
		...(!isPrivate && {
			tunnel: (transport: Transport, { requestId }: { requestId: string }) =>
				serveSession(transport, { ...deps, ...readTunnelId(requestId) }),
		}),
	};
}
