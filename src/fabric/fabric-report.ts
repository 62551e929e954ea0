/* What `mctl fabric status` shows: the server, who offers what, and who is present. */
import type { FabricSection } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { isObject } from '../wire/json.ts';
import { readBucket } from './bucket.ts';
import { createBucket } from './bucket-setup.ts';
import { FabricLink } from './fabric-link.ts';
import { STREAM } from './fabric-names.ts';
import { MemberKeys } from './member-keys.ts';
import { natsAccess } from './open-fabric.ts';
import { RemoteOffers } from './remote-offers.ts';
import { ADMINISTRATOR, type Member } from './server-config.ts';

/** How long to wait for a connection. */
const CONNECT_MS = 5000;

/** A member without its key. */
export type FabricMember = Omit<Member, 'key'>;

export interface FabricReport {
	/** The server that answered. */
	readonly server: string;
	readonly version: string;
	readonly cluster: string | null;
	/** Of the bucket; null when this member may not ask. */
	readonly replicas: number | null;
	/** Those with a key, on the machine where the keys were made; elsewhere none. */
	readonly members: readonly FabricMember[];
	readonly offers: readonly {
		readonly name: string;
		readonly workers: readonly string[];
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
		return {
			server: link.server ?? '',
			version: link.info?.version ?? '',
			cluster: link.info?.cluster ?? null,
			replicas: await replicasOf(link),
			members: MemberKeys.ofUser(environment)
				.list()
				.filter(({ name }) => name !== ADMINISTRATOR)
				.map(({ key: _key, ...member }) => member),
			offers: offers.offers.map((name) => ({
				name,
				workers: offers
					.workers(name)
					.map((worker) => worker.name)
					.sort(),
				tools: offers.toolsOf(name, '').length,
			})),
		};
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
export async function setUpFabric(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<{ readonly server: string; readonly replicas: number }> {
	const seed = MemberKeys.ofUser(environment).administratorSeed();
	const access = { ...natsAccess(settings, environment), name: ADMINISTRATOR, credentials: async () => seed };
	return withLink(new FabricLink(access, Log.silent), async (link) => {
		const replicas = await createBucket(link);
		return { server: link.server ?? '', replicas };
	});
}

async function withLink<T>(link: FabricLink, use: (link: FabricLink) => Promise<T>): Promise<T> {
	try {
		await connected(link);
		return await use(link);
	} finally {
		await link.close();
	}
}

function connected(link: FabricLink): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			const error = new OrchestraError('closed', `the fabric cannot be reached: ${link.downReason}`, {
				hint: 'Check fabric.servers and fabric.credentials in the configuration.',
			});
			reject(error);
		}, CONNECT_MS);
		link.listen({
			up: () => {
				clearTimeout(timer);
				resolve();
			},
		});
		link.open();
	});
}
