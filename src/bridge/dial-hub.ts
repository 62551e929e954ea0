/* Connect to a hub and exchange MCP messages: over the tunnel if the hub has one, else by translation. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { STARTED_BY } from '../config/self-entry.ts';
import { OrchestraError } from '../errors.ts';
import { certificatesFolder, loadIdentity, ORCHESTRATOR_NAME } from '../link/certificates/certificates.ts';
import type { Link } from '../link/link.ts';
import { dial, type LinkChoice } from '../link/open-link.ts';
import { isUnixAddress } from '../link/tls/unix-address.ts';
import type { Log } from '../log.ts';
import { BRIDGE_PID_VARIABLE, FEATURES, MCP_PARTS, MCP_TUNNEL, TOOL_VIEWS } from '../plugin/features.ts';
import { register, type ShortManifest } from '../plugin/registration.ts';
import { openTunnel } from '../plugin/tunnel.ts';
import { tunnelId } from '../plugin/tunnel-id.ts';
import type { Transport } from '../transport/transport.ts';
import { BRIDGE_ID, HEALTH_CHECK_MS, HEALTH_RESPONSE_MS, REGISTER_MS } from './bridge-limits.ts';

const manifest: ShortManifest = {
	id: BRIDGE_ID,
	version: '1.0.0',
	language: 'typescript',
	transports: ['stdio'],
	description: 'MCP on stdin and stdout',
	features: FEATURES,
};

/** A hub: its address and certificates. */
export interface HubEndpoint {
	/** `host:port`. */
	address: string;
	/** Folder of the certificates. Default `~/.orchestra/certs`. */
	certsDir?: string | undefined;
	/** Its features, when they are known; else the registration returns them. */
	features?: readonly string[] | undefined;
	/** Environment variables to forward with the registration. Only for a hub of this user. */
	variables?: Readonly<Record<string, string>> | undefined;
	/** What started this bridge, for a hub that refuses its own children. */
	startedBy?: string | undefined;
	/** False when another hub is to be used by now. */
	isCurrent?: (() => boolean) | undefined;
	/** Why the hub does not answer, as far as other processes can see; undefined when it looks healthy. */
	diagnose?: ((silentMs: number) => OrchestraError | undefined) | undefined;
}

/** Finds the hub before every connection attempt; may start one. */
export type FindHub = () => Promise<HubEndpoint>;

export interface DialHubOptions extends LinkChoice {
	/** The id of the MCP session, constant over reconnects. */
	sessionId: string;
	/** The view of the tools. Default: that of the client in the configuration of the hub. */
	view?: string | undefined;
	signal: AbortSignal;
	log: Log;
}

export interface DialedHub {
	/** MCP messages to and from the hub. */
	readonly transport: Transport;
	/** Resolves with the reason when the connection ends. */
	readonly closed: Promise<OrchestraError>;
	close(): Promise<void>;
}

/** Rejects with the reason when no hub answers, or its certificate or ours is not trusted. */
export async function dialHub(endpoint: HubEndpoint, options: DialHubOptions): Promise<DialedHub> {
	const { address, certsDir } = endpoint;
	const { kind, signal, log } = options;
	const folder = certificatesFolder(certsDir);
	const identity = await loadIdentity(folder, `${BRIDGE_ID}-client`);
	// The shared hub is only reachable through its socket, for any kind of link that the user chose.
	const choice = isUnixAddress(address) ? 'unix' : kind;
	const begin = performance.now();
	const link = await dial({
		address,
		identity,
		peerName: ORCHESTRATOR_NAME,
		kind: choice,
		signal,
		log,
	}).catch((thrown: unknown) => {
		const isLate = OrchestraError.is(thrown, 'timeout');
		throw (isLate && endpoint.diagnose?.(performance.now() - begin)) || thrown;
	});
	try {
		const registered = featuresOf(link, endpoint, log);
		// Forwarded variables and what started us must be known to the hub before the first request, which may start servers.
		const mayWait = endpoint.features && !endpoint.variables && endpoint.startedBy === undefined;
		const features = mayWait ? new Set(endpoint.features) : await registered;
		registered.catch(() => {}); // a lost link is reported by `closed`
		if (options.view !== undefined) assertViews(features, address);
		const hub = features.has(MCP_TUNNEL)
			? overTunnel(link, features, options)
			: await translated(link, features, options);
		return endpoint.diagnose ? withHealthCheck(hub, link, endpoint.diagnose) : hub;
	} catch (thrown) {
		await link.close();
		throw thrown;
	}
}

function assertViews(features: ReadonlySet<string>, address: string): void {
	if (features.has(TOOL_VIEWS) && features.has(MCP_TUNNEL)) return;
	throw new OrchestraError('bad_input', `the hub at ${address} has no views`, {
		hint: 'Stop it with `mctl hub stop`: the next bridge starts one of this version.',
	});
}

function overTunnel(
	link: Link,
	features: ReadonlySet<string>,
	{ sessionId, view, log }: DialHubOptions,
): DialedHub {
	const id = tunnelId({ sessionId, view });
	const transport = openTunnel(link.openStream(), id, { sendsParts: features.has(MCP_PARTS), log });
	const close = async (): Promise<void> => {
		await transport.close();
		await link.close();
	};
	return { transport, closed: link.closed, close };
}

/** The same hub, but its connection also ends when the hub is blocked: it does not answer a request. */
function withHealthCheck(
	hub: DialedHub,
	link: Link,
	diagnose: NonNullable<HubEndpoint['diagnose']>,
): DialedHub {
	let timer: NodeJS.Timeout | undefined;
	const blocked = new Promise<OrchestraError>((resolve) => {
		let isChecking = false;
		timer = setInterval(() => {
			if (isChecking) return;
			isChecking = true;
			register(link, manifest, HEALTH_RESPONSE_MS).then(
				() => {
					isChecking = false;
				},
				() => {
					isChecking = false;
					const error = diagnose(HEALTH_RESPONSE_MS);
					if (error) resolve(error);
				},
			);
		}, HEALTH_CHECK_MS);
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

/** Loaded on demand: only translation needs the generated code. */
async function translated(
	link: Link,
	features: ReadonlySet<string>,
	options: DialHubOptions,
): Promise<DialedHub> {
	const { openTranslation } = await import('./open-translation.ts');
	return openTranslation(link, features, options);
}

/** The features of the hub. An orchestrator that rejects the registration is used without features. */
async function featuresOf(
	link: Link,
	{ address, variables, startedBy }: HubEndpoint,
	log: Log,
): Promise<ReadonlySet<string>> {
	const env = {
		...(variables && { ...variables, [BRIDGE_PID_VARIABLE]: String(process.pid) }),
		...(startedBy !== undefined && { [STARTED_BY]: startedBy }),
	};
	try {
		const { isAccepted, features, refusal } = await register(link, { ...manifest, env }, REGISTER_MS);
		if (refusal !== undefined)
			throw new OrchestraError('bad_input', `the hub at ${address} refused this bridge: ${refusal}`, {
				hint: 'Remove the entry that starts this bridge.',
			});
		if (!isAccepted) log.debug('the orchestrator did not accept the registration');
		return features;
	} catch (thrown) {
		if (OrchestraError.is(thrown, 'bad_input')) throw thrown;
		// A peer without registration drops the stream; a lost link is an error.
		const gone = await Promise.race([link.closed, nextTurn()]);
		if (gone) throw gone;
		log.debug(`the orchestrator did not respond to the registration: ${OrchestraError.from(thrown).message}`);
		return new Set();
	}
}
