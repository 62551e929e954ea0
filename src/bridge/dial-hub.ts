/*
 * Connect to a hub and make it speak MCP: through the tunnel when it offers one,
 * else by translation.
 */
import { OrchestraError } from '../errors.ts';
import { certificatesFolder, loadIdentity, ORCHESTRATOR_NAME } from '../link/certificates/certificates.ts';
import type { Link } from '../link/link.ts';
import { dial, type LinkChoice } from '../link/open-link.ts';
import { isUnixAddress } from '../link/tls/unix-address.ts';
import type { Log } from '../log.ts';
import { BRIDGE_PID_VARIABLE, FEATURES, MCP_PARTS, MCP_TUNNEL } from '../plugin/features.ts';
import { register, type ShortManifest } from '../plugin/registration.ts';
import { openTunnel, TUNNEL_ID } from '../plugin/tunnel.ts';
import type { Transport } from '../transport/transport.ts';
import { BRIDGE_ID, REGISTER_MS, WATCH_ANSWER_MS, WATCH_MS } from './bridge-limits.ts';
import type { HubPlace } from './hub-place.ts';

const manifest: ShortManifest = {
	id: BRIDGE_ID,
	version: '1.0.0',
	language: 'typescript',
	transports: ['stdio'],
	description: 'MCP on stdin and stdout',
	features: FEATURES,
};

export interface DialHubOptions extends LinkChoice {
	/** One id for the whole life of the bridge. */
	sessionId: string;
	signal: AbortSignal;
	log: Log;
}

export interface DialedHub {
	/** MCP messages to and from it. */
	readonly transport: Transport;
	/** Resolves, once, when the connection is over. */
	readonly closed: Promise<OrchestraError>;
	close(): Promise<void>;
}

/** Rejects with the reason when there is nobody, or nobody who trusts us. */
export async function dialHub(place: HubPlace, options: DialHubOptions): Promise<DialedHub> {
	const { address, certsDir } = place;
	const { kind, signal, log } = options;
	const folder = certificatesFolder(certsDir);
	const identity = await loadIdentity(folder, `${BRIDGE_ID}-client`);
	// How to reach the shared hub is not the user's choice: its socket is the only way in.
	const choice = isUnixAddress(address) ? 'unix' : kind;
	const link = await dial({
		address,
		identity,
		peerName: ORCHESTRATOR_NAME,
		kind: choice,
		signal,
		log,
	}).catch((thrown: unknown) => {
		throw place.diagnose?.() ?? thrown;
	});
	try {
		const told = featuresOf(link, place, log);
		// With values to hand over we wait until the hub has them: the first request may need what they configure.
		const features = place.features && !place.variables ? new Set(place.features) : await told;
		told.catch(() => {}); // a link that is lost says so by itself
		const hub = features.has(MCP_TUNNEL)
			? throughTunnel(link, features, options)
			: await translated(link, features, options);
		return place.diagnose ? watched(hub, link, place.diagnose) : hub;
	} catch (thrown) {
		await link.close();
		throw thrown;
	}
}

function throughTunnel(
	link: Link,
	features: ReadonlySet<string>,
	{ sessionId, log }: DialHubOptions,
): DialedHub {
	const id = `${TUNNEL_ID}${sessionId}`;
	const transport = openTunnel(link.openStream(), id, { sendsParts: features.has(MCP_PARTS), log });
	const close = async (): Promise<void> => {
		await transport.close();
		await link.close();
	};
	return { transport, closed: link.closed, close };
}

/** The same hub, but its connection is over when the hub has been blocked for too long: what was seen from outside and a question without answer say so. */
function watched(hub: DialedHub, link: Link, diagnose: () => OrchestraError | undefined): DialedHub {
	let timer: NodeJS.Timeout | undefined;
	const blocked = new Promise<OrchestraError>((resolve) => {
		let isAsking = false;
		timer = setInterval(() => {
			const error = isAsking ? undefined : diagnose();
			if (error === undefined) return;
			isAsking = true;
			// A heartbeat may also be late because of a full disk, or because the whole machine was suspended.
			register(link, manifest, WATCH_ANSWER_MS).then(
				() => {
					isAsking = false;
				},
				() => resolve(diagnose() ?? error),
			);
		}, WATCH_MS);
		timer.unref();
	});
	const closed = Promise.race([hub.closed, blocked]);
	void closed.then(() => clearInterval(timer));
	const close = async (): Promise<void> => {
		clearInterval(timer);
		await hub.close();
	};
	return { transport: hub.transport, closed, close };
}

/** Only here the generated code is needed; most bridges never load it. */
async function translated(
	link: Link,
	features: ReadonlySet<string>,
	options: DialHubOptions,
): Promise<DialedHub> {
	const { openTranslation } = await import('./open-translation.ts');
	return openTranslation(link, features, options);
}

/** What the hub can do beyond the common protocol. Orchestrators that refuse us are used all the same. */
async function featuresOf(link: Link, { variables }: HubPlace, log: Log): Promise<ReadonlySet<string>> {
	const env = variables && { ...variables, [BRIDGE_PID_VARIABLE]: String(process.pid) };
	try {
		const { isAccepted, features } = await register(link, { ...manifest, env }, REGISTER_MS);
		if (!isAccepted) log.debug('the orchestrator did not accept the registration');
		return features;
	} catch (thrown) {
		// A peer that drops the stream knows no registration; one that drops the link is gone.
		const gone = await Promise.race([link.closed, nextTurn()]);
		if (gone) throw gone;
		log.debug(`the orchestrator did not take the registration: ${OrchestraError.from(thrown).message}`);
		return new Set();
	}
}

function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
