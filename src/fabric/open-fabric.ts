/* The entry of this layer: from the setting `fabric` to a backend for the tools of others, and to an offer of our own. */
import type { FabricSection } from '../config/configuration.ts';
import type { Backend } from '../hub/backends/backend.ts';
import type { FabricParts } from '../hub/backends/build-backends.ts';
import type { OpenedHub } from '../hub/open-hub.ts';
import type { Log } from '../log.ts';
import { resolveSecret } from '../secrets/resolve-secret.ts';
import type { NatsAccess } from './connect-nats.ts';
import { FabricBackend } from './fabric-backend.ts';
import { FabricWorker } from './fabric-worker.ts';
import { OfferPins } from './offer-pins.ts';
import { usesTls } from './server-check.ts';

/** How to reach the servers of the setting. Throws `bad_input` for servers that may not be used. */
export function natsAccess(
	{ servers, name, ca, credentials }: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
): NatsAccess {
	usesTls(servers);
	const resolve = async (): Promise<string> =>
		typeof credentials === 'object' ? resolveSecret(credentials, { environment }) : (credentials ?? '');
	return { servers, name, ca, credentials: credentials === undefined ? undefined : resolve };
}

/** The tools of other hubs. It connects in the background. */
export async function openFabricBackend(settings: FabricSection, parts: FabricParts): Promise<Backend> {
	const { environment, log } = parts;
	const { file, pin, use = ['*'] } = settings;
	const access = natsAccess(settings, environment);
	const pins = new OfferPins({ file, pin, ...parts });
	return new FabricBackend({ access, patterns: use, pins, log });
}

/** Offer tools of this hub to others; undefined when the configuration offers none. The caller closes it. */
export async function openOffer(
	opened: OpenedHub,
	{ environment, log, patterns }: OfferParts,
): Promise<FabricWorker | undefined> {
	const { fabric } = opened.configuration();
	const offered = fabric?.offer ?? patterns;
	if (fabric === undefined || offered === undefined || offered.length === 0) return undefined;
	const access = natsAccess(fabric, environment);
	const worker = new FabricWorker({ access, offer: fabric.group, patterns: offered, hub: opened.hub, log });
	await worker.open();
	return worker;
}

export interface OfferParts {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** The tools when the configuration names none. Default: nothing is offered. */
	readonly patterns?: readonly string[] | undefined;
}
