/* Read the sections of one file. An entry with a problem is skipped as a whole. */
import { dirname } from 'node:path';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { parseStdioUri } from '../process/stdio-uri.ts';
import type {
	Configuration,
	HubSection,
	LibrarySection,
	Limits,
	PluginEntry,
	RemoteServerEntry,
	ServerEntry,
	ServerSettings,
	StdioServerEntry,
	ToolsSection,
} from './configuration.ts';
import { limitNames } from './configuration.ts';
import { readChildLimits, readPluginSandbox, readSandbox } from './confinement.ts';
import { readFabric } from './fabric-section.ts';
import { Field, type FieldSource, onlyKeys } from './field.ts';
import { readOAuth } from './oauth-settings.ts';
import { readPolicy } from './policy-section.ts';
import { readPinOfAll, readServerSettings } from './server-settings.ts';
import { readClient, readToolList, readView } from './tool-list-section.ts';

/** The sections of one file. */
export type FileSections = Omit<Configuration, 'root' | 'files'>;

/** The sections of a configuration file. */
export const sectionNames: readonly string[] = [
	'mcpServers',
	'tools',
	'library',
	'plugins',
	'hub',
	'limits',
	'pin',
	'policy',
	'toolList',
	'views',
	'clients',
	'fabric',
];
const toolsNames = ['roots', 'examples', 'config', 'timeoutMs', 'timeouts', 'sandbox', 'sandboxes', 'limits'];
const libraryNames = ['prompts', 'resources'];
const hubNames = [
	'listenAddr',
	'tcpAddr',
	'certsDir',
	'httpAddr',
	'httpPublic',
	'httpCert',
	'httpKey',
	'idleMs',
];

/** Read a parsed file; problems go to `source`. A file of another client (`isOurs` false) may have unknown keys. */
export function readSections(source: FieldSource, isOurs: boolean, root: string): FileSections {
	const top = Field.of(source);
	if (isOurs) onlyKeys(top, [...sectionNames, '$schema']);
	else top.entries();
	const valid = <T>(read: () => T | undefined): T[] => skipInvalid(source, read);
	return {
		mcpServers: top
			.at('mcpServers')
			.entries()
			.flatMap(([name, field]) => valid(() => readServer(name, field, { file: source.file, root }))),
		tools: readTools(top.at('tools'), root),
		library: readLibrary(top.at('library')),
		plugins: top
			.at('plugins')
			.items()
			.flatMap((field) => valid(() => readPlugin(field, source.file, root))),
		hub: readHub(top.at('hub')),
		limits: readLimits(top.at('limits')),
		pin: readPinOfAll(top.at('pin')),
		policy: top.at('policy').isPresent ? [readPolicy(top.at('policy'), source)] : [],
		toolList: readToolList(top.at('toolList')),
		views: namedEntries(top.at('views'), (field) => valid(() => readView(field))),
		clients: namedEntries(top.at('clients'), (field) => valid(() => readClient(field))),
		fabric: valid(() => readFabric(top.at('fabric'), source.file))[0],
	};
}

/** The entry, or none when reading it reported a problem. */
export function skipInvalid<T>(source: FieldSource, read: () => T | undefined): T[] {
	const before = source.problems.length;
	const entry = read();
	return entry === undefined || source.problems.length > before ? [] : [entry];
}

/** The valid entries of an object, by their names. */
function namedEntries<T>(field: Field, read: (field: Field) => T[]): Record<string, T> {
	return Object.fromEntries(
		field.entries().flatMap(([name, entry]) => read(entry).map((value): [string, T] => [name, value])),
	);
}

/** What the entries of all kinds of servers have. */
interface ServerBase {
	readonly name: string;
	readonly isEnabled: boolean;
	readonly timeoutMs: number | undefined;
	readonly settings: ServerSettings;
	readonly file: string;
}

function readServer(
	name: string,
	field: Field,
	{ file, root }: { file: string; root: string },
): ServerEntry | undefined {
	const isUri = typeof field.value === 'string';
	if (!isUri) field.entries();
	const isEnabled = isEntryEnabled(field);
	const timeoutMs = field.at('timeoutMs').count();
	const base: ServerBase = { name, isEnabled, timeoutMs, settings: readServerSettings(field), file };
	if (isUri) return readUri(field, base, root);
	const type = field.at('type').text();
	if (type !== undefined && !['stdio', 'http', 'streamable-http', 'sse'].includes(type)) {
		return field.at('type').report('"stdio", "http" or "sse"');
	}
	const isRemote = field.at('url').isPresent && type !== 'stdio';
	return isRemote ? readRemote(field, base, type) : readStdio(field, base, root);
}

/** Servers and plugins are disabled by `disabled: true` or `enabled: false`. */
function isEntryEnabled(field: Field): boolean {
	return field.at('disabled').flag() !== true && field.at('enabled').flag() !== false;
}

/** An entry that is a string: a `stdio:` URI. */
function readUri(
	field: Field,
	{ timeoutMs: _none, ...base }: ServerBase,
	root: string,
): StdioServerEntry | undefined {
	const uri = field.text();
	if (uri === undefined) return undefined;
	try {
		return { kind: 'stdio', ...base, record: { ...parseStdioUri(uri), cwd: root } };
	} catch {
		return field.report('an object, or a URI as in "stdio:npx -y some-server"');
	}
}

function readRemote(field: Field, base: ServerBase, type: string | undefined): RemoteServerEntry | undefined {
	const url = field.at('url').text();
	if (url === undefined) return undefined;
	if (!/^https?:\/\/./.test(url)) return field.at('url').report('an http:// or https:// address');
	const { plain: headers, secrets } = field.at('headers').secretMap();
	const oauth = readOAuth(field.at('oauth'));
	return { url, headers, secrets, oauth, ...base, kind: type === 'sse' ? 'sse' : 'http' };
}

function readStdio(
	field: Field,
	{ timeoutMs, ...base }: ServerBase,
	root: string,
): StdioServerEntry | undefined {
	if (!field.at('command').isPresent) return field.at('command').report('a command, or a url');
	const command = programPath(field.at('command'));
	if (command === undefined) return undefined;
	const args = field.at('args').texts() ?? [];
	const { plain: env, secrets } = field.at('env').secretMap();
	const cwd = field.at('cwd').path() ?? root;
	return {
		kind: 'stdio',
		...base,
		record: { command, args, env, cwd, timeoutMs, ...readConfinement(field, root) },
		secrets,
	};
}

/** Without keys for what the entry does not have. */
function readConfinement(field: Field, root: string): Pick<SpawnRecord, 'sandbox' | 'limits'> {
	const sandbox = readSandbox(field.at('sandbox'), root);
	const limits = readChildLimits(field.at('limits'));
	return { ...(sandbox && { sandbox }), ...(limits && { limits }) };
}

/** A relative path is resolved against the file; a bare name is left for PATH. */
function programPath(field: Field): string | undefined {
	const text = field.text();
	return text !== undefined && /^(\.{1,2}|~)[/\\]/.test(text) ? field.path() : text;
}

function readTools(field: Field, root: string): ToolsSection {
	onlyKeys(field, toolsNames);
	const sandboxes = field
		.at('sandboxes')
		.entries()
		.flatMap(([id, inner]) => {
			const sandbox = readSandbox(inner, root);
			return sandbox ? [[id, sandbox] as const] : [];
		});
	const roots = field.at('roots');
	return {
		roots: roots.isPresent ? roots.items().flatMap((item) => item.path() ?? []) : undefined,
		examples: field.at('examples').flag(),
		config: Object.fromEntries(
			field
				.at('config')
				.entries()
				.map(([key, value]) => [key, value.json()]),
		),
		timeoutMs: field.at('timeoutMs').count(),
		timeouts: countsOf(field.at('timeouts').entries()),
		...readConfinement(field, root),
		...(sandboxes.length > 0 && { sandboxes: Object.fromEntries(sandboxes) }),
	};
}

function readLibrary(field: Field): LibrarySection {
	onlyKeys(field, libraryNames);
	return { prompts: field.at('prompts').path(), resources: field.at('resources').path() };
}

/** One plugin; the format is the same in every file. */
export function readPlugin(
	field: Field,
	file: string,
	root: string = dirname(file),
): PluginEntry | undefined {
	const binaryField = field.at('binary');
	for (const required of [field.at('id'), binaryField]) {
		if (!required.isPresent) return required.report('a non-empty string');
	}
	const id = field.at('id').text();
	const binary = String(binaryField.value).includes('/') ? binaryField.path() : binaryField.text();
	if (id === undefined || binary === undefined) return undefined;
	const env = field.at('env').secretMap();
	const config = field.at('config').secretMap();
	return {
		id,
		binary,
		args: field.at('args').texts() ?? [],
		env: env.plain,
		config: config.plain,
		secretEnv: env.secrets,
		secretConfig: config.secrets,
		sandbox: readPluginSandbox(field.at('sandbox'), root),
		limits: readChildLimits(field.at('limits')),
		isEnabled: isEntryEnabled(field),
		providesStorage: field.at('provides_storage').texts() ?? [],
		providesAi: field.at('provides_ai').texts() ?? [],
		dependsOn: field.at('depends_on').texts() ?? [],
		file,
	};
}

function readHub(field: Field): HubSection {
	onlyKeys(field, hubNames);
	return {
		listenAddress: readAddress(field.at('listenAddr')),
		tcpAddress: readAddress(field.at('tcpAddr')),
		certsDir: field.at('certsDir').path(),
		httpAddress: readAddress(field.at('httpAddr')),
		httpPublic: field.at('httpPublic').flag(),
		httpCert: field.at('httpCert').path(),
		httpKey: field.at('httpKey').path(),
		idleMs: field.at('idleMs').countOrZero(),
	};
}

const LARGEST_PORT = 65_535;

/** `host:port`, `[::1]:port` or `:port`. */
export function readAddress(field: Field): string | undefined {
	const text = field.text();
	if (text === undefined) return undefined;
	const [, port] = /^(?:\[[^\]\s]+\]|[^:\s]*):(\d{1,5})$/.exec(text) ?? [];
	const isAddress = port !== undefined && Number(port) <= LARGEST_PORT;
	return isAddress ? text : field.report('an address as host:port, for example localhost:9100');
}

function readLimits(field: Field): Limits {
	onlyKeys(field, limitNames);
	return countsOf(limitNames.map((name): [string, Field] => [name, field.at(name)]));
}

function countsOf(entries: [string, Field][]): Record<string, number> {
	return Object.fromEntries(
		entries.flatMap(([key, field]): [string, number][] => {
			const count = field.count();
			return count === undefined ? [] : [[key, count]];
		}),
	);
}
