/*
 * From an entry of a registry to a server of the configuration: which package or address
 * is taken, which values the user has to give, and the command line that comes of it.
 *
 * Everything in an entry is foreign text. It becomes arguments of a command line, never a
 * line for a shell; only known programs are started, with flags that are known to leave the
 * package as it is; and what names a package may neither be a flag nor lead to another source.
 */
import { OrchestraError } from '../errors.ts';
import {
	type GivenValues,
	type LaunchInput,
	pairSlot,
	pairsWith,
	type Slot,
	slotOf,
	templateSlot,
	unique,
} from './launch-slots.ts';
import { choosesProgram, foreignArg, type Runtime, runtimes } from './runtimes.ts';
import type { RegistryArgument, RegistryPackage, RegistryRemote, ServerRecord } from './server-record.ts';

/** The installed package, for the lock file. */
export interface PackageSource {
	/** `npm`, `pypi`, `nuget`, `oci`, or `remote` for a server that is only reached. */
	readonly type: string;
	readonly identifier: string;
	readonly version: string | undefined;
	readonly sha256: string | undefined;
}

export interface LaunchPlan {
	readonly source: PackageSource;
	readonly inputs: readonly LaunchInput[];
	/** The other ways that the entry has, for the user. */
	readonly alternatives: readonly string[];
	/** The entry of `mcpServers`, with these values and defaults for the others. */
	entry(values: GivenValues): Record<string, unknown>;
}

const ADD_BY_COMMAND = { hint: 'Add it by its command: mctl add <name> -- <command…>' };

/** The argument of a command line that names a package. */
export function packageReference({
	type,
	identifier,
	version,
}: Pick<PackageSource, 'type' | 'identifier' | 'version'>): string {
	const at = runtimes.get(type)?.at;
	return at === undefined || version === undefined ? identifier : `${identifier}${at}${version}`;
}

/** Plan a server: a package that speaks on stdio, else an address. Throws `bad_input` when there is no way to run it. */
export function planLaunch(server: ServerRecord, wanted?: 'package' | 'remote'): LaunchPlan {
	const found = [
		...(wanted === 'remote' ? [] : server.packages.map(planPackage)),
		...(wanted === 'package' ? [] : server.remotes.map(planRemote)),
	];
	const plans = found.filter((each) => typeof each !== 'string');
	const reasons = found.filter((each) => typeof each === 'string');
	const [plan, ...others] = plans;
	if (plan === undefined) {
		const why = reasons.length === 0 ? `it has no ${wanted ?? 'package and no address'}` : reasons.join('; ');
		throw new OrchestraError('bad_input', `${server.name} cannot be added: ${why}`, {
			hint:
				server.repositoryUrl === undefined
					? ADD_BY_COMMAND.hint
					: `Its instructions: ${server.repositoryUrl}`,
		});
	}
	return { ...plan, alternatives: others.map(({ source }) => describeSource(source)) };
}

/** One line about what is installed. */
export function describeSource({ type, identifier, version }: PackageSource): string {
	return `${type} ${identifier}${version === undefined ? '' : ` ${version}`}`;
}

function planPackage(item: RegistryPackage): LaunchPlan | string {
	const { registryType, identifier, version, fileSha256, runtimeHint } = item;
	const runtime = runtimes.get(registryType);
	if (runtime === undefined) return `a package of type "${registryType}" is not supported`;
	const command = commandOf(item, runtime);
	if (command === undefined) return `its package ${identifier} asks for the program "${runtimeHint}"`;
	const refusal = refusalOf(item, runtime);
	if (refusal !== undefined) return refusal;
	const base = baseArgs(item, runtime) ?? [];
	const slots = [...item.runtimeArguments, ...item.packageArguments].map(slotOf);
	const variables = item.environmentVariables.map(pairSlot);
	const source = { type: registryType, identifier, version, sha256: fileSha256 ?? digestIn(identifier) };
	const reference = packageReference(source);
	return {
		source,
		inputs: unique([...slots, ...variables].flatMap(({ inputs }) => inputs)),
		alternatives: [],
		entry(values) {
			const env = pairsWith(variables, values);
			const argsOf = (list: readonly RegistryArgument[]): string[] =>
				list.flatMap((each) => slotOf(each).args(values));
			const given = argsOf(item.runtimeArguments);
			// An optional value that is absent moves the arguments after it.
			const other = foreignArg(runtime, given);
			if (other !== undefined)
				throw new OrchestraError('bad_input', otherProgram(other, command), ADD_BY_COMMAND);
			const flags = runtime.flags.filter(
				(flag) => !given.includes(flag) && !(flag === '-y' && given.includes('--yes')),
			);
			// An entry may start with `run` itself.
			const [first, ...rest] = given;
			const ordered =
				first !== undefined && runtime.flags.includes(first)
					? [first, ...flags, ...rest]
					: [...flags, ...given];
			const passed = registryType === 'oci' ? Object.keys(env).flatMap((name) => ['-e', name]) : [];
			const after = argsOf(item.packageArguments);
			const separator =
				after.length === 0 ? runtime.separator.filter((arg) => arg !== '--') : runtime.separator;
			const args = [...ordered, ...base, ...passed, reference, ...separator, ...after];
			return { command, args, ...(Object.keys(env).length > 0 && { env }) };
		},
	};
}

/** The program that starts a package; undefined when the entry names one that is not known. A runtime is a hint. */
function commandOf(
	{ runtimeHint, runtimeArguments }: RegistryPackage,
	{ command, others, aliases }: Runtime,
): string | undefined {
	if (runtimeHint === undefined || runtimeHint === command) return command;
	if (others.includes(runtimeHint)) return runtimeHint;
	// Arguments for another program would mean something else to this one.
	return aliases.includes(runtimeHint) && runtimeArguments.length === 0 ? command : undefined;
}

/** Why a package cannot be started as the lock file names it; undefined when it can. */
function refusalOf(item: RegistryPackage, runtime: Runtime): string | undefined {
	const { registryType, registryBaseUrl, identifier, transport, runtimeArguments } = item;
	const { command } = runtime;
	if (transport !== 'stdio') return `its package ${identifier} listens at ${transport.url} in place of stdio`;
	if (!runtime.identifier.test(identifier))
		return `"${identifier}" is not the name of a package of type ${registryType}`;
	if (baseArgs(item, runtime) === undefined)
		return `its package ${identifier} is at ${registryBaseUrl}, and not where ${command} looks`;
	const unknown = foreignArg(
		runtime,
		runtimeArguments.flatMap((each) => sampleArgs(slotOf(each))),
	);
	if (unknown !== undefined) return otherProgram(unknown, command);
	return looseVersion(item, runtime) ?? loaderVariable(item);
}

/** Flags for the place that the package comes from; undefined when the program is not known. */
function baseArgs(
	{ registryBaseUrl, runtimeHint }: RegistryPackage,
	{ command, base, fromBase }: Runtime,
): readonly string[] | undefined {
	if (registryBaseUrl === undefined || base.test(registryBaseUrl)) return [];
	return isAddress(registryBaseUrl) && (runtimeHint ?? command) === command
		? fromBase?.(registryBaseUrl)
		: undefined;
}

/** Why the variables that the entry sets are refused. What the user gives to one is theirs. */
function loaderVariable({ identifier, environmentVariables }: RegistryPackage): string | undefined {
	const variable = environmentVariables.find(
		({ name, value, default: fallback }) => (value ?? fallback) !== undefined && choosesProgram(name),
	);
	return variable && `its package ${identifier} sets ${variable.name}, which decides what else is loaded`;
}

function otherProgram(arg: string, command: string): string {
	return `its arguments for ${command} have "${arg}", which may start something else than its package`;
}

/** The arguments with a value for every input. */
function sampleArgs(slot: Slot): string[] {
	return slot.args(
		new Map(slot.inputs.map(({ key, format }) => [key, [format === 'boolean' ? 'true' : 'x']])),
	);
}

/** Why the package is not pinned; undefined when it is. What the lock file names is what runs. */
function looseVersion({ identifier, version }: RegistryPackage, runtime: Runtime): string | undefined {
	if (runtime.at === undefined) {
		const hasVersion = /[:@][^/]*$/.test(identifier);
		return hasVersion ? undefined : `its image ${identifier} has neither a tag nor a digest`;
	}
	if (version === undefined) return `its package ${identifier} has no version`;
	return runtime.version.test(version)
		? undefined
		: `the version "${version}" of its package ${identifier} is a range or a tag`;
}

function digestIn(identifier: string): string | undefined {
	return /@sha256:([\da-f]{64})$/.exec(identifier)?.[1];
}

function planRemote({ type, url, headers, variables }: RegistryRemote): LaunchPlan | string {
	const target = templateSlot(url, variables, 'address');
	const pairs = headers.map(pairSlot);
	// With every variable filled in it must be an address, and its host may not hold anything else.
	const probe = url.replace(/^\{[^{}]*\}/, 'https://x').replace(/\{[^{}]*\}/g, 'x');
	if (!isAddress(probe)) return `"${url}" is not an http:// or https:// address`;
	if (new URL(probe).username !== '' || new URL(probe).password !== '')
		return `the address at ${new URL(probe).host} holds a user or a password`;
	return {
		source: { type: 'remote', identifier: url, version: undefined, sha256: undefined },
		inputs: unique([...target.inputs, ...pairs.flatMap(({ inputs }) => inputs)]),
		alternatives: [],
		entry(values) {
			const filled = target.text(values);
			if (filled === undefined || !isAddress(filled)) {
				const message = `"${String(filled)}" is not an http:// or https:// address`;
				throw new OrchestraError('bad_input', message, { hint: `Its form is ${url}` });
			}
			const sent = pairsWith(pairs, values);
			return {
				type: type === 'sse' ? 'sse' : 'http',
				url: filled,
				...(Object.keys(sent).length > 0 && { headers: sent }),
			};
		},
	};
}

function isAddress(text: string): boolean {
	return URL.canParse(text) && /^https?:/i.test(text);
}
