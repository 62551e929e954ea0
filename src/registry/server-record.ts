/*
 * An entry of a registry (`server.json`), read from foreign JSON.
 *
 * Members of older schemas are written with underscores; both spellings are read. What
 * has a wrong type makes the whole entry unusable: a half-read entry would start
 * something else than its author meant. No text may hold `${`, since the configuration
 * that it goes to would read that as a variable or as the name of a secret.
 */
import { isObject } from '../wire/json.ts';
import { ForeignMember } from './foreign-member.ts';
import { LIST_ITEMS, VARIABLE_DEPTH } from './registry-limits.ts';

/** A value that the author fixed, or that the user has to give. */
export interface RegistryInput {
	readonly description?: string | undefined;
	readonly isRequired: boolean;
	readonly isSecret: boolean;
	readonly format: 'string' | 'number' | 'boolean' | 'filepath';
	/** Fixed by the author; `{name}` in it stands for a variable. */
	readonly value?: string | undefined;
	readonly default?: string | undefined;
	readonly choices: readonly string[];
	readonly variables: Readonly<Record<string, RegistryInput>>;
}

/** An argument of a command line, or a flag with its value. */
export interface RegistryArgument extends RegistryInput {
	readonly type: 'positional' | 'named';
	/** The name of a named argument, with its dashes. */
	readonly name?: string | undefined;
	/** The name of a positional one. */
	readonly valueHint?: string | undefined;
	readonly isRepeated: boolean;
}

/** An environment variable or a header. */
export interface RegistryPair extends RegistryInput {
	readonly name: string;
}

export interface RegistryRemote {
	readonly type: 'streamable-http' | 'sse';
	/** `{name}` in it stands for a variable. */
	readonly url: string;
	readonly headers: readonly RegistryPair[];
	readonly variables: Readonly<Record<string, RegistryInput>>;
}

export interface RegistryPackage {
	readonly registryType: string;
	readonly identifier: string;
	/** Where the package is, when its author says so. */
	readonly registryBaseUrl?: string | undefined;
	readonly version?: string | undefined;
	readonly fileSha256?: string | undefined;
	readonly runtimeHint?: string | undefined;
	/** A package that is not spoken to over stdio listens at a URL of its own. */
	readonly transport: 'stdio' | RegistryRemote;
	readonly runtimeArguments: readonly RegistryArgument[];
	readonly packageArguments: readonly RegistryArgument[];
	readonly environmentVariables: readonly RegistryPair[];
}

export interface ServerRecord {
	/** Such as `io.github.acme/notes`. */
	readonly name: string;
	readonly title?: string | undefined;
	readonly description: string;
	readonly version: string;
	readonly websiteUrl?: string | undefined;
	readonly repositoryUrl?: string | undefined;
	readonly packages: readonly RegistryPackage[];
	readonly remotes: readonly RegistryRemote[];
	readonly status: 'active' | 'deprecated' | 'deleted';
	readonly statusMessage?: string | undefined;
}

/** The name of a server in a registry: a namespace, a slash, a name. Neither is a folder of a path. */
export const registryName: RegExp = /^(?!\.*\/)[a-zA-Z0-9.-]{1,100}\/(?!\.*$)[a-zA-Z0-9._-]{1,100}$/;

const UNUSABLE = 'the entry of the registry cannot be used: ';
const OFFICIAL_META = 'io.modelcontextprotocol.registry/official';

/** Read one answer or one item of a list. Throws `bad_input` with the member that is wrong. */
export function readServerRecord(value: unknown): ServerRecord {
	// Older registries send the entry itself.
	const wrapped = new ForeignMember(value, `${UNUSABLE}it`).object();
	const server = isObject(wrapped['server'])
		? new ForeignMember(wrapped['server'], `${UNUSABLE}server`)
		: new ForeignMember(wrapped, `${UNUSABLE}server`);
	const name = server.at('name').text();
	if (name === undefined || !registryName.test(name))
		throw server.at('name').wrong('a name such as io.github.acme/notes');
	const meta = new ForeignMember(
		isObject(wrapped['_meta']) ? wrapped['_meta'][OFFICIAL_META] : undefined,
		`${UNUSABLE}_meta.${OFFICIAL_META}`,
	);
	const version = server.at('version').text() ?? server.at('versionDetail').at('version').text();
	if (version === undefined || !isVersion(version))
		throw server.at('version').wrong('one version, not a range');
	return {
		name,
		title: server.at('title').text(),
		description: server.at('description').text() ?? '',
		version,
		websiteUrl: server.at('websiteUrl').text(),
		repositoryUrl: server.at('repository').at('url').text(),
		packages: server.at('packages').items().map(readPackage),
		remotes: server.at('remotes').items().map(readRemote),
		status: (meta.value === undefined ? server : meta)
			.at('status')
			.oneOf(['active', 'deprecated', 'deleted'], 'active'),
		statusMessage: meta.at('statusMessage').text(),
	};
}

/** One version, and nothing that a package manager would read as a range, a tag or a flag. */
function isVersion(text: string): boolean {
	return /^[\w][\w.+-]{0,99}$/.test(text) && text !== 'latest';
}

function readPackage(field: ForeignMember): RegistryPackage {
	const transport = field.at('transport');
	const isStdio = transport.value === undefined || transport.at('type').text() === 'stdio';
	const version = field.at('version').text();
	if (version !== undefined && version !== '' && !isVersion(version))
		throw field.at('version').wrong('one version, not a range');
	const fileSha256 = field.at('fileSha256').text();
	if (fileSha256 !== undefined && !/^[\da-f]{64}$/.test(fileSha256))
		throw field.at('fileSha256').wrong('64 lower-case hexadecimal digits');
	return {
		registryType: field.at('registryType').required(),
		identifier: field.at('identifier').required(),
		registryBaseUrl: field.at('registryBaseUrl').text(),
		version: version === '' ? undefined : version,
		fileSha256,
		runtimeHint: field.at('runtimeHint').text(),
		transport: isStdio ? 'stdio' : readRemote(transport),
		runtimeArguments: field.at('runtimeArguments').items().map(readArgument),
		packageArguments: field.at('packageArguments').items().map(readArgument),
		environmentVariables: field.at('environmentVariables').items().map(readPair),
	};
}

function readRemote(field: ForeignMember): RegistryRemote {
	return {
		// An older spelling of the type is `streamable`.
		type: field.at('type').oneOf(['streamable-http', 'sse'], 'streamable-http', {
			streamable: 'streamable-http',
			http: 'streamable-http',
		}),
		url: field.at('url').required(),
		headers: field.at('headers').items().map(readPair),
		variables: readVariables(field.at('variables'), 0),
	};
}

function readArgument(field: ForeignMember): RegistryArgument {
	const type = field.at('type').oneOf(['positional', 'named'], 'positional');
	const input = readInput(field, 0);
	const valueHint = field.at('valueHint').text();
	const name = field.at('name').text();
	if (type === 'named' && name === undefined) throw field.at('name').wrong('the flag, with its dashes');
	if (
		type === 'positional' &&
		input.value === undefined &&
		valueHint === undefined &&
		input.default === undefined
	)
		throw field.at('value').wrong('a value, or a valueHint that names it');
	return { ...input, type, name, valueHint, isRepeated: field.at('isRepeated').flag() };
}

function readPair(field: ForeignMember): RegistryPair {
	const name = field.at('name').required();
	if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name))
		throw field.at('name').wrong('the name of a variable or header');
	return { ...readInput(field, 0), name };
}

function readInput(field: ForeignMember, depth: number): RegistryInput {
	return {
		description: field.at('description').text(),
		isRequired: field.at('isRequired').flag(),
		isSecret: field.at('isSecret').flag(),
		format: field
			.at('format')
			.oneOf(['string', 'number', 'boolean', 'filepath'], 'string', { file_path: 'filepath' }),
		value: field.at('value').text(),
		default: field.at('default').text(),
		choices: field
			.at('choices')
			.items()
			.map((choice) => choice.required()),
		variables: readVariables(field.at('variables'), depth),
	};
}

function readVariables(field: ForeignMember, depth: number): Record<string, RegistryInput> {
	if (field.value === undefined) return {};
	if (depth >= VARIABLE_DEPTH) throw field.wrong(`at most ${VARIABLE_DEPTH} levels of variables`);
	const names = field.names();
	if (names.length > LIST_ITEMS) throw field.wrong(`at most ${LIST_ITEMS} variables`);
	return Object.fromEntries(names.map((name) => [name, readInput(field.at(name), depth + 1)]));
}
