/* The private listener of an embedded hub: the plugin protocol on loopback, for its own plugins. */

import { certificatesFolder, loadIdentity, ORCHESTRATOR_NAME } from '../../link/certificates/certificates.ts';
import type { LinkListener } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import { sharedState } from '../../mcp/server/mcp-session.ts';
import { servePlugin } from '../../plugin/server/plugin-server.ts';
import type { OpenedHub } from '../open-hub.ts';
import { orchestratorHandlers } from '../orchestrator/orchestrator-handlers.ts';
import { PluginLink } from './plugin-link.ts';

/** Loopback, any free port. */
const PRIVATE_ADDRESS = '127.0.0.1:0';

export interface OpenPluginLinkOptions {
	/** The hub; called after it is open. */
	readonly opened: () => Pick<OpenedHub, 'hub' | 'storage'>;
	/** The address of an existing listener. Default: open a private one. */
	readonly address: (() => Promise<string>) | undefined;
	readonly certsDir: string | undefined;
	readonly log: Log;
}

export function openPluginLink({ opened, address, log, ...place }: OpenPluginLinkOptions): PluginLink {
	const certsDir = certificatesFolder(place.certsDir);
	const listen = async (): Promise<LinkListener> => {
		const deps = { opened, shared: sharedState(), log, details: () => ({}), isPrivate: true };
		const handlers = orchestratorHandlers(deps);
		const identity = await loadIdentity(certsDir, ORCHESTRATOR_NAME);
		return servePlugin({ address: PRIVATE_ADDRESS, identity, handlers, log });
	};
	return new PluginLink({ certsDir, address, log, listen });
}
