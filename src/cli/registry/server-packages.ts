/* The servers that came from a registry, as the lock files name them. */
import type { ServerFile } from '../../config/edit/editable-files.ts';
import { serverFiles } from '../../config/edit/editable-files.ts';
import { attempt, OrchestraError } from '../../errors.ts';
import { quoted } from '../../printable.ts';
import { bundleFolder } from '../../registry/bundle-files.ts';
import { type PackageSource, planLaunch } from '../../registry/launch-plan.ts';
import { REFERENCE_SPACE, referenceServers } from '../../registry/reference-servers.ts';
import type { RegistryClient } from '../../registry/registry-client.ts';
import type { ServerRecord } from '../../registry/server-record.ts';
import type { PinnedPackage } from '../../trust/pins/lock-file.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { PinStore } from '../../trust/pins/pin-store.ts';
import { isObject } from '../../wire/json.ts';
import type { CommandPlace } from '../command.ts';
import type { EntryChange } from './unfinished-change.ts';

/** A server, the file that has its entry, and the package that it is. */
export interface PackagedServer {
	readonly name: string;
	readonly file: ServerFile;
	readonly pin: PinnedPackage;
}

/** The packages of the project and of the user that have an entry still. Throws `bad_input` when a lock file is damaged. */
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

/**
 * What a newer entry has in place of a pinned package: the same kind, whatever else it lists. Throws `bad_input` for another
 * package or host: it would be started, and get the secrets of the entry, before anything of it was shown.
 */
export function replacementOf(
	{ type, identifier, name }: PinnedPackage,
	record: ServerRecord,
): PackageSource & { version: string } {
	const packages = record.packages.filter(({ registryType }) => registryType === type);
	const { source } = planLaunch({ ...record, packages }, type === 'remote' ? 'remote' : 'package');
	const version = source.version ?? record.version;
	if (packageOrHost(source) === packageOrHost({ type, identifier })) return { ...source, version };
	throw new OrchestraError(
		'bad_input',
		`${name} ${version} is ${type} ${source.identifier}, and not ${identifier} any more`,
		{ hint: `If you want that one, remove the server and add it anew: mctl add ${quoted(name)}` },
	);
}

/** The part of an identifier that stays from version to version: an image without its tag, the host of an address. */
function packageOrHost({ type, identifier }: Pick<PackageSource, 'type' | 'identifier'>): string {
	if (type === 'remote') return /^[^/]*\/\/[^/:?#]*/.exec(identifier)?.[0] ?? identifier;
	return type === 'oci' ? identifier.replace(/@sha256:.*$/, '').replace(/:[^/:]*$/, '') : identifier;
}

/** The files and pins of a server outside of the configuration. Without its pin when the lock file is damaged. */
export function changeOf(
	name: string,
	{ path, servers }: ServerFile,
	environment: Readonly<NodeJS.ProcessEnv>,
): EntryChange {
	const entry = servers[name];
	const strings = ['env', 'headers'].flatMap((map) =>
		isObject(entry) && isObject(entry[map]) ? Object.values(entry[map]) : [],
	);
	const pin = attempt(() => new PinStore(pinPlace(path, environment)).packages().get(name));
	const hash = pin?.type === 'mcpb' ? pin.sha256 : undefined;
	return {
		file: path,
		name,
		bundle: hash === undefined ? null : bundleFolder(hash, { file: path, name }, environment),
		// A header has a scheme before its reference.
		secrets: strings.flatMap((text) => (typeof text === 'string' ? (text.match(/\$\{[^}]+\}/g) ?? []) : [])),
	};
}
