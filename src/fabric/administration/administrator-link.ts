/* A link for the time of one command, as this member or as the administrator. */
import type { FabricSection } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { ADMINISTRATOR_CONNECT_MS } from '../fabric-limits.ts';
import { FabricLink } from '../link/fabric-link.ts';
import { natsAccess } from '../open-fabric.ts';
import { MemberKeys } from './member-keys.ts';
import { ADMINISTRATOR } from './server-config.ts';

/** Connect with the key of the administrator, which this machine must have. Throws `closed` when no server can be reached. */
export async function asAdministrator<T>(
	settings: FabricSection,
	environment: Readonly<NodeJS.ProcessEnv>,
	use: (link: FabricLink) => Promise<T>,
): Promise<T> {
	// Servers without keys, on loopback, accept every client.
	const seed =
		settings.credentials === undefined ? undefined : MemberKeys.ofUser(environment).administratorSeed();
	const credentials = seed === undefined ? undefined : async (): Promise<string> => seed;
	const access = { ...natsAccess(settings, environment), name: ADMINISTRATOR, credentials };
	return withLink(new FabricLink(access, Log.silent), use);
}

/** Connect, use the link and close it. */
export async function withLink<T>(link: FabricLink, use: (link: FabricLink) => Promise<T>): Promise<T> {
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
		}, ADMINISTRATOR_CONNECT_MS);
		link.listen({
			up: () => {
				clearTimeout(timer);
				resolve();
			},
		});
		link.open();
	});
}
