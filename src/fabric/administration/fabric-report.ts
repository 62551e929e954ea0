/* What `mctl fabric status` shows: the server, which workers advertise which groups, and which members are present. */
import type { FabricSection, PinMode } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import type { FabricLinkFacts, FabricMember, WorkerFacts } from '../../hub/fabric-overview.ts';
import { type ServerDrift, serverDrifts } from '../../hub/server-drifts.ts';
import { Log } from '../../log.ts';
import { aborted } from '../../rpc/abortable.ts';
import { pause } from '../../rpc/clock.ts';
import { fabricSource } from '../../trust/pins/pin-source.ts';
import { isObject } from '../../wire/json.ts';
import { AdvertisementFollower } from '../advertisements/advertisement-follower.ts';
import { Advertisements, byName } from '../advertisements/advertisements.ts';
import { readBucket } from '../advertisements/bucket.ts';
import { createBucket } from '../advertisements/bucket-setup.ts';
import { SERVER_REQUEST_MS, SETUP_ATTEMPTS } from '../fabric-limits.ts';
import { STREAM } from '../fabric-names.ts';
import { FabricLink } from '../link/fabric-link.ts';
import { natsAccess } from '../open-fabric.ts';
import { asAdministrator, withLink } from './administrator-link.ts';
import { MemberKeys } from './member-keys.ts';

export interface FabricReport {
	/** The server that answered. */
	readonly server: string;
	readonly version: string;
	readonly cluster: string | null;
	readonly link: FabricLinkFacts;
	/** How many servers store the bucket; null when this member may not query it. */
	readonly replicas: number | null;
	/** The members with a key, on the machine where the keys were made; elsewhere none. */
	readonly members: readonly FabricMember[];
	readonly offers: readonly {
		readonly name: string;
		readonly workers: readonly string[];
		/** The same workers, with what they say about themselves. */
		readonly workerFacts: readonly WorkerFacts[];
		readonly tools: number;
		readonly pins: GroupPinState;
	}[];
}

/** The tools of a group against what was accepted here. */
export interface GroupPinState {
	readonly mode: PinMode;
	readonly state: ServerDrift['state'];
	/** Tools that are not as they were accepted, and of those the ones that are not listed. */
	readonly drifted: number;
	readonly quarantined: number;
}

/** Ask the servers. Throws `closed` when none can be reached. */
export async function fabricReport(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<FabricReport> {
	return withLink(new FabricLink(natsAccess(settings, environment), Log.silent), async (link) => {
		const advertisements = new Advertisements();
		await readBucket(link, (entry) => advertisements.apply(entry, 0));
		return reportOn(link, advertisements, { settings, environment, replicas: await replicasOf(link) });
	});
}

/**
 * Report now and then again, until `signal` is aborted or `onReport` returns false; also while the link is down. Throws
 * `closed` when no server can be reached at first.
 */
export async function watchFabric(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
	{
		everyMs,
		signal,
		onReport,
	}: { everyMs: number; signal: AbortSignal; onReport: (report: FabricReport) => Promise<boolean> },
): Promise<void> {
	await withLink(new FabricLink(natsAccess(settings, environment), Log.silent), async (link) => {
		const follower = new AdvertisementFollower(link, Log.silent, () => {});
		try {
			await Promise.race([follower.loaded, aborted(signal)]);
			while (!signal.aborted) {
				const replicas = await replicasOf(link);
				if (!(await onReport(reportOn(link, follower.advertisements, { settings, environment, replicas }))))
					return;
				// Rejects when the command is ended.
				await pause(everyMs, signal).catch(() => {});
			}
		} finally {
			follower.close();
		}
	});
}

function reportOn(
	link: FabricLink,
	advertisements: Advertisements,
	{
		settings,
		environment,
		replicas,
	}: { settings: FabricSection; environment: Readonly<NodeJS.ProcessEnv>; replicas: number | null },
): FabricReport {
	return {
		server: link.server ?? '',
		version: link.info?.version ?? '',
		cluster: link.info?.cluster ?? null,
		link: link.facts,
		replicas,
		members: MemberKeys.ofUser(environment).facts(),
		offers: groupPins(advertisements, settings, environment).map(({ name, tools, pins }) => {
			const workerFacts = advertisements
				.workers(name)
				.map(({ hashes: _hashes, revision: _revision, heardAt: _heardAt, ...facts }) => facts)
				.toSorted(byName);
			const workers = workerFacts.map((worker) => worker.name);
			return { name, workers, workerFacts, tools, pins };
		}),
	};
}

/** The groups, and their tools against what was accepted. */
function groupPins(
	advertisements: Advertisements,
	{ file, pin }: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
): { name: string; tools: number; pins: GroupPinState }[] {
	const groups = new Map(advertisements.groups.map((name) => [fabricSource(name), name]));
	const entries = [...groups].map(([name, group]) => {
		const tools = advertisements.toolsOf(group, '');
		return { kind: 'listed' as const, name, file, settings: { pin }, tools };
	});
	return serverDrifts(entries, environment).map(({ server, pin: mode, state, drifted }, at) => {
		const quarantined = drifted.filter(({ isQuarantined }) => isQuarantined).length;
		const pins = { mode, state, drifted: drifted.length, quarantined };
		return { name: groups.get(server) ?? server, tools: entries[at]?.tools.length ?? 0, pins };
	});
}

async function replicasOf(link: FabricLink): Promise<number | null> {
	try {
		const info: unknown = (await link.request(`$JS.API.STREAM.INFO.${STREAM}`, '')).json();
		const config = isObject(info) ? info['config'] : undefined;
		return isObject(config) ? Number(config['num_replicas']) : null;
	} catch {
		return null; // a server with the configuration of an older version does not permit it
	}
}

/** Make the bucket, with the key of the administrator. */
export function setUpFabric(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
	signal: AbortSignal,
): Promise<{ readonly server: string; readonly replicas: number }> {
	return asAdministrator(settings, environment, async (link) => {
		const replicas = await createElected(link, signal);
		return { server: link.server ?? '', replicas };
	});
}

/** A cluster that has just been started elects a leader first. */
async function createElected(link: FabricLink, signal: AbortSignal): Promise<number> {
	for (let attempt = 1; ; attempt++) {
		const startedAt = performance.now();
		try {
			return await createBucket(link);
		} catch (error) {
			if (attempt === SETUP_ATTEMPTS || !OrchestraError.is(error, 'timeout')) throw error;
		}
		// Some servers are silent until then, others say at once that there is no leader.
		await pause(startedAt + SERVER_REQUEST_MS - performance.now(), signal);
	}
}
