/* What `mctl fabric status` shows: the server, who offers what, and who is present. */
import type { FabricSection } from '../../config/configuration.ts';
import type { FabricLinkFacts, WorkerFacts } from '../../hub/fabric-overview.ts';
import { Log } from '../../log.ts';
import { aborted } from '../../rpc/abortable.ts';
import { pause } from '../../rpc/clock.ts';
import { isObject } from '../../wire/json.ts';
import { OfferFollower } from '../advertisements/advertisement-follower.ts';
import { RemoteOffers } from '../advertisements/advertisements.ts';
import { readBucket } from '../advertisements/bucket.ts';
import { createBucket } from '../advertisements/bucket-setup.ts';
import { STREAM } from '../fabric-names.ts';
import { FabricLink } from '../link/fabric-link.ts';
import { natsAccess } from '../open-fabric.ts';
import { asAdministrator, withLink } from './administrator-link.ts';
import { MemberKeys } from './member-keys.ts';
import { ADMINISTRATOR, type Member } from './server-config.ts';

/** A member without its key. */
export type FabricMember = Omit<Member, 'key' | 'retiring'> & {
	/** It has a new key, and the old one is still valid. */
	readonly isRotating: boolean;
};

export interface FabricReport {
	/** The server that answered. */
	readonly server: string;
	readonly version: string;
	readonly cluster: string | null;
	readonly link: FabricLinkFacts;
	/** Of the bucket; null when this member may not ask. */
	readonly replicas: number | null;
	/** Those with a key, on the machine where the keys were made; elsewhere none. */
	readonly members: readonly FabricMember[];
	readonly offers: readonly {
		readonly name: string;
		readonly workers: readonly string[];
		/** The same workers, with what they say about themselves. */
		readonly workerFacts: readonly WorkerFacts[];
		readonly tools: number;
	}[];
}

/** Ask the servers. Throws `closed` when none can be reached. */
export async function fabricReport(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<FabricReport> {
	return withLink(new FabricLink(natsAccess(settings, environment), Log.silent), async (link) => {
		const offers = new RemoteOffers();
		await readBucket(link, (entry) => offers.apply(entry, 0));
		return reportOn(link, offers, { environment, replicas: await replicasOf(link) });
	});
}

/** Report now and then again, until `signal` is aborted; also while the link is down. Throws `closed` when no server can be reached at first. */
export async function watchFabric(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
	{
		everyMs,
		signal,
		onReport,
	}: { everyMs: number; signal: AbortSignal; onReport: (report: FabricReport) => void },
): Promise<void> {
	await withLink(new FabricLink(natsAccess(settings, environment), Log.silent), async (link) => {
		const follower = new OfferFollower(link, Log.silent, () => {});
		try {
			await Promise.race([follower.loaded, aborted(signal)]);
			while (!signal.aborted) {
				const replicas = await replicasOf(link);
				onReport(reportOn(link, follower.offers, { environment, replicas }));
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
	offers: RemoteOffers,
	{ environment, replicas }: { environment: Readonly<NodeJS.ProcessEnv>; replicas: number | null },
): FabricReport {
	return {
		server: link.server ?? '',
		version: link.info?.version ?? '',
		cluster: link.info?.cluster ?? null,
		link: link.facts,
		replicas,
		members: MemberKeys.ofUser(environment)
			.list()
			.filter(({ name }) => name !== ADMINISTRATOR)
			.map(({ key: _key, retiring, ...member }) => ({ ...member, isRotating: retiring !== undefined })),
		offers: offers.offers.map((name) => {
			const workerFacts = offers
				.workers(name)
				.map(({ hashes: _hashes, revision: _revision, heardAt: _heardAt, ...facts }) => facts)
				.toSorted((one, other) => (one.name < other.name ? -1 : 1));
			const workers = workerFacts.map((worker) => worker.name);
			return { name, workers, workerFacts, tools: offers.toolsOf(name, '').length };
		}),
	};
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
): Promise<{ readonly server: string; readonly replicas: number }> {
	return asAdministrator(settings, environment, async (link) => {
		const replicas = await createBucket(link);
		return { server: link.server ?? '', replicas };
	});
}
