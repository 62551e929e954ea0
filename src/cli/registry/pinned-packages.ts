/* The servers that came from a registry, as the lock files name them. */
import type { ServerFile } from '../../config/edit/editable-files.ts';
import { serverFiles } from '../../config/edit/editable-files.ts';
import { OrchestraError } from '../../errors.ts';
import { bundleFolder, removeBundle } from '../../registry/bundle-files.ts';
import { type PackageSource, planLaunch } from '../../registry/launch-plan.ts';
import { REFERENCE_SPACE, referenceServers } from '../../registry/reference-servers.ts';
import type { RegistryClient } from '../../registry/registry-client.ts';
import type { ServerRecord } from '../../registry/server-record.ts';
import { removeStored } from '../../secrets/store-secret.ts';
import type { PinnedPackage } from '../../trust/pins/lock-text.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { PinStore } from '../../trust/pins/pin-store.ts';
import { isObject } from '../../wire/json.ts';
import type { CommandInput, CommandPlace } from '../command.ts';

/** A server, the file that has its entry, and the package that it is. */
export interface PackagedServer {
	readonly name: string;
	readonly file: ServerFile;
	readonly pin: PinnedPackage;
}

/** Those of the project and of the user that have an entry still. Throws `bad_input` when a lock file is damaged. */
export function packagedServers({ cwd, environment }: CommandPlace): PackagedServer[] {
	const files = (['project', 'user'] as const).flatMap((scope) =>
		serverFiles(scope, cwd, environment).slice(0, 1),
	);
	return files.flatMap((file) =>
		[...new PinStore(pinPlace(file.path, environment)).packages()]
			.filter(([name]) => Object.hasOwn(file.servers, name))
			.map(([name, pin]) => ({ name, file, pin })),
	);
}

/** The newest entry of a server where it came from. */
export async function latestOf(
	{ registry, name, type }: PinnedPackage,
	clients: readonly RegistryClient[],
): Promise<ServerRecord> {
	if (registry === REFERENCE_SPACE) {
		const record = referenceServers().get(name.slice(REFERENCE_SPACE.length + 1));
		if (record) return record;
	}
	if (type === 'mcpb') {
		throw new OrchestraError('not_found', `${name} is a bundle, and only its author knows newer ones`, {
			hint: 'Remove it and add the new bundle.',
		});
	}
	const client = clients.find((each) => each.registry.name === registry);
	if (client) return client.server(name);
	throw new OrchestraError(
		'not_found',
		`there is no registry "${registry}" any more, where ${name} came from`,
		{
			hint: 'Name it again in "registries" of your configuration, or give its address with --registry.',
		},
	);
}

/** What a newer entry has in place of a pinned package: the same kind, whatever else it lists. */
export function replacementOf(
	{ type }: PinnedPackage,
	record: ServerRecord,
): PackageSource & { version: string } {
	const packages = record.packages.filter(({ registryType }) => registryType === type);
	const { source } = planLaunch({ ...record, packages }, type === 'remote' ? 'remote' : 'package');
	return { ...source, version: source.version ?? record.version };
}

/** A server that was removed has no package any more, and its stored secrets go. Never throws: the entry is gone already. */
export async function forgetPackage(
	name: string,
	file: ServerFile,
	{ environment, out }: CommandInput,
): Promise<void> {
	const entry = file.servers[name];
	const texts = ['env', 'headers'].flatMap((map) =>
		isObject(entry) && isObject(entry[map]) ? Object.values(entry[map]) : [],
	);
	removeStored(
		texts.filter((text) => typeof text === 'string'),
		environment,
	);
	try {
		const store = new PinStore(pinPlace(file.path, environment));
		const pin = store.packages().get(name);
		if (pin === undefined) return;
		if (pin.type === 'mcpb' && pin.sha256 !== undefined)
			removeBundle(bundleFolder(pin.sha256, { file: file.path, name }, environment), environment);
		await store.setPackage(name, undefined);
	} catch (error) {
		out.note(`note: ${OrchestraError.from(error).message}`);
	}
}
