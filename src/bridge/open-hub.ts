/*
 * Connect to a hub and make it speak MCP: through the tunnel when it offers one,
 * else by translation. Loaded when the first connection is made.
 */
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { FEATURES, MCP_TUNNEL } from '../plugin/features.ts';
import { PluginClient } from '../plugin/plugin-client.ts';
import { certificatesFolder, loadIdentity } from '../quic/certificates.ts';
import type { LinkChoice } from '../quic/open-link.ts';
import type { Transport } from '../transport/transport.ts';
import type { HubPlace } from './hub-place.ts';
import { REGISTER_MS } from './limits.ts';

/** The name under which the bridge calls tools. */
export const BRIDGE_ID = 'transport.stdio';

export interface OpenHubOptions extends LinkChoice {
	/** One id for the whole life of the bridge. */
	sessionId: string;
	signal: AbortSignal;
	log: Log;
}

export interface Hub {
	/** MCP messages to and from it. */
	readonly transport: Transport;
	readonly isTunnel: boolean;
	/** Resolves, once, when the connection is over. */
	readonly closed: Promise<OrchestraError>;
	close(): Promise<void>;
}

/** Rejects with the reason when there is nobody, or nobody who trusts us. */
export async function openHub({ address, certsDir }: HubPlace, options: OpenHubOptions): Promise<Hub> {
	const { kind, signal, log } = options;
	const identity = await loadIdentity(certificatesFolder(certsDir), `${BRIDGE_ID}-client`);
	const client = await PluginClient.connect({ address, identity, kind, signal, log });
	try {
		client.features = await register(client, options);
		const isTunnel = client.features.has(MCP_TUNNEL);
		const transport = isTunnel ? client.openTunnel() : await translation(client, options);
		const close = async (): Promise<void> => {
			await transport.close();
			await client.close();
		};
		return { transport, isTunnel, closed: client.closed, close };
	} catch (thrown) {
		await client.close();
		throw thrown;
	}
}

/** What the hub can do beyond the common protocol. Orchestrators that refuse us are used all the same. */
async function register(client: PluginClient, { signal, log }: OpenHubOptions): Promise<ReadonlySet<string>> {
	const value = {
		id: BRIDGE_ID,
		version: '1.0.0',
		language: 'typescript',
		description: 'MCP on stdin and stdout',
		providesTransport: ['stdio'],
		features: [...FEATURES],
	};
	try {
		const { response } = await client.send(
			{ request: { case: 'register', value } },
			{ timeoutMs: REGISTER_MS, signal },
		);
		if (response.case === 'register' && response.value.accepted) return new Set(response.value.features);
		log.debug(`the orchestrator answered the registration with ${response.case ?? 'nothing'}`);
	} catch (thrown) {
		const error = OrchestraError.from(thrown);
		if (error.code !== 'timeout' && error.code !== 'bad_frame') throw error;
		log.debug(`the orchestrator did not take the registration: ${error.message}`);
	}
	return new Set();
}

async function translation(client: PluginClient, options: OpenHubOptions): Promise<Transport> {
	return (await import('./open-translation.ts')).openTranslation(client, options);
}
