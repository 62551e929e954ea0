/*
 * `mctl add io.github.acme/notes` and `mctl add filesystem`: add a server that a registry
 * lists, or one of the reference servers. The version is pinned in the entry and in the lock file.
 */
import { nearest } from '../../nearest.ts';
import { printableLine } from '../../printable.ts';
import { describeSource, planLaunch } from '../../registry/launch-plan.ts';
import { REFERENCE_SPACE, referenceServers } from '../../registry/reference-servers.ts';
import { registryName, type ServerRecord } from '../../registry/server-record.ts';
import { type Command, type CommandInput, textFlag, usageError } from '../command.ts';
import { addBundle } from './add-bundle.ts';
import { addServer } from './add-server.ts';
import { chosenRegistries, findServer } from './registry-flag.ts';

type Usage = Pick<Command, 'usage'>;

/** An argument that names a server of a registry, with or without a version, or a reference server. */
export function isListedName(arg: string): boolean {
	return (
		registryName.test(withoutVersion(arg).name) || (/^[a-z-]+$/.test(arg) && referenceServers().has(arg))
	);
}

function withoutVersion(arg: string): { name: string; version: string | undefined } {
	const at = arg.lastIndexOf('@');
	return at > 0 ? { name: arg.slice(0, at), version: arg.slice(at + 1) } : { name: arg, version: undefined };
}

/** Add the server that `argument` names. */
export async function addFromRegistry(arg: string, input: CommandInput, command: Usage): Promise<void> {
	const { record, registry } = await recordOf(arg, input, command);
	if (record.status === 'deprecated')
		input.out.warn(
			`warning: ${record.name} is deprecated${record.statusMessage === undefined ? '' : `: ${printableLine(record.statusMessage)}`}`,
		);
	const bundle = bundleOf(record);
	if (bundle && input.flags['remote'] !== true)
		return addBundle(bundle.identifier, input, command, bundle.fileSha256);
	const plan = planLaunch(record, input.flags['remote'] === true ? 'remote' : undefined);
	const { source } = plan;
	await addServer(
		{
			name: localName(record, input, command),
			plan,
			pin: {
				registry,
				name: record.name,
				version: source.version ?? record.version,
				type: source.type,
				identifier: source.identifier,
				sha256: source.sha256,
			},
			facts: [
				['server', `${record.name} ${record.version} of the registry ${registry}`],
				['about', record.title === undefined ? record.description : `${record.title}: ${record.description}`],
				['from', record.repositoryUrl ?? record.websiteUrl ?? 'it names no repository and no site'],
				['package', describeSource(source)],
				...plan.alternatives.map((other): [string, string] => ['or', `${other} (not chosen)`]),
			],
		},
		input,
		command,
	);
}

/** A server may have nothing but a bundle. The hash is required: the registry does not check the file. */
function bundleOf({ packages }: ServerRecord): ServerRecord['packages'][number] | undefined {
	const isPlannable = packages.some(
		({ registryType, transport }) => registryType !== 'mcpb' && transport === 'stdio',
	);
	return isPlannable
		? undefined
		: packages.find(({ registryType, fileSha256 }) => registryType === 'mcpb' && fileSha256 !== undefined);
}

async function recordOf(
	arg: string,
	input: CommandInput,
	command: Usage,
): Promise<{ record: ServerRecord; registry: string }> {
	const { name, version } = withoutVersion(arg);
	const references = referenceServers();
	const short = name.startsWith(`${REFERENCE_SPACE}/`) ? name.slice(REFERENCE_SPACE.length + 1) : name;
	const reference = references.get(short);
	if (reference && (short !== name || !name.includes('/')))
		return { record: reference, registry: REFERENCE_SPACE };
	if (!registryName.test(name)) {
		const guesses = nearest(name, [...references.keys()]);
		throw usageError(
			command,
			`"${name}" is not a server of a registry${guesses.length > 0 ? `; did you mean ${guesses.join(', ')}` : ''}`,
		);
	}
	const found = await findServer(chosenRegistries(input, command), name, version);
	return { record: found.record, registry: found.registry.name };
}

function localName({ name }: ServerRecord, input: CommandInput, command: Usage): string {
	const as = textFlag(input, 'as') ?? (name.split('/', 2)[1] ?? name).slice(0, 64);
	if (/^[\w.-]{1,64}$/.test(as)) return as;
	throw usageError(command, `--as takes letters, digits, -, _ and ., not "${as}"`);
}
