/* The entry of this layer: from the setting `fabric` to a source for the tools of others, and to a worker of our own. */
import type { FabricSection } from '../config/configuration.ts';
import { hubIdIn } from '../config/self-entry.ts';
import type { OpenedHub } from '../hub/open-hub.ts';
import type { Source } from '../hub/source.ts';
import type { OpenFabricDeps } from '../hub/sources/build-sources.ts';
import type { Log } from '../log.ts';
import { resolveSecret } from '../secrets/resolve-secret.ts';
import { entryKey } from '../secrets/secret-text.ts';
import { FabricSource } from './calls/fabric-source.ts';
import { PinnedGroups } from './calls/group-pins.ts';
import type { NatsAccess } from './link/connect-nats.ts';
import { usesTls } from './link/server-check.ts';
import { ConfiguredWorker, type WorkerPlan } from './worker/configured-worker.ts';
import { FabricWorker } from './worker/fabric-worker.ts';

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
export async function openFabricSource(settings: FabricSection, deps: OpenFabricDeps): Promise<Source> {
	const { environment, configurationKey, log } = deps;
	const { file, pin, use = ['*'], rules } = settings;
	const access = natsAccess(settings, environment);
	const pins = new PinnedGroups({ file, pin, ...deps });
	return new FabricSource({
		access,
		patterns: use,
		rules,
		pins,
		hubId: hubIdIn(environment),
		configurationKey,
		log,
	});
}

/** Advertise tools of this hub to others, as its configuration says at any time. The caller closes it. */
export async function openWorker(opened: OpenedHub, deps: OpenWorkerOptions): Promise<ConfiguredWorker> {
	const wanted = (): WorkerPlan | undefined => {
		const { fabric } = opened.configuration();
		const patterns = fabric?.offer ?? deps.patterns;
		if (fabric === undefined || patterns === undefined || patterns.length === 0) return undefined;
		const { servers, name, ca, credentials, group, labels, limits } = fabric;
		const settings = { patterns, labels, limits };
		const open = (): FabricWorker => {
			const access = natsAccess(fabric, deps.environment);
			const { drainMs, log } = deps;
			return new FabricWorker({ access, group, ...settings, hub: opened.hub, drainMs, log });
		};
		return { key: entryKey({ servers, name, ca, credentials, group }), settings, open };
	};
	const worker = new ConfiguredWorker(wanted, deps.log);
	await worker.follow(opened);
	return worker;
}

export interface OpenWorkerOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** The tools when the configuration names none. Default: nothing is advertised. */
	readonly patterns?: readonly string[] | undefined;
	/** How long `close` waits for running calls. Default 12 s. */
	readonly drainMs?: number | undefined;
}
