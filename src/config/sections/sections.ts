/*
 * The sections of a configuration file: one table, from which files are read and merged, and
 * what an untrusted project may say is decided. An entry with a problem is skipped as a whole.
 */
import { MESSAGE_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import type { PluginEntry, ServerEntry } from '../configuration.ts';
import {
	CALL_TIMEOUT_MS,
	IDENTICAL_CALLS,
	LIST_WAIT_MS,
	RESULT_BYTES,
	TASK_DETACH_MS,
	TASK_MAX_MS,
	TASK_TTL_MS,
	TOOL_EVENTS,
	TOOL_OUTPUT_BYTES,
} from '../defaults.ts';
import { Field, type FieldSource, onlyKeys } from '../field.ts';
import {
	type AnyKeys,
	address,
	bothLists,
	byName,
	checked,
	count,
	countOrZero,
	emptyOf,
	flag,
	key,
	listOf,
	mapOf,
	object,
	type Place,
	path,
	readMembers,
	type Shape,
	schemaOf,
	section,
	strings,
	text,
	type Values,
	valid,
	word,
} from '../key.ts';
import { pinOfAll } from '../pin-mode.ts';
import { readEntry } from '../read-entry.ts';
import { childLimitKeys, childLimits, sandbox } from './confinement.ts';
import { fabric } from './fabric-section.ts';
import { identityProvider } from './oauth-settings.ts';
import { plugin, pluginKeys } from './plugin-entry.ts';
import { policy } from './policy-section.ts';
import { resultKeys } from './results-section.ts';
import { searchKeys } from './search-section.ts';
import { readServer, reportMistypedKeys, serverKeys, serverSchema } from './server-entry.ts';
import { clientKeys, toolListKeys, viewKeys } from './tool-list-section.ts';

/** The sections of one file. */
export type FileSections = Values<typeof sections>;

/** Values for tools, nested or dotted as written. */
const toolConfig: Shape<Readonly<Record<string, unknown>>> = {
	read: (field) => Object.fromEntries(field.entries().map(([name, value]) => [name, value.json()])),
	schema: { type: 'object' },
};

export const toolsKeys = {
	roots: key(
		listOf(path),
		'folders that are searched for [tools](tools.md), in place of `./tools`; those of all files count',
		{ merge: bothLists, trust: 'inside' },
	),
	examples: key(
		flag,
		'`true` lists the bundled example tools for agents too; `false` hides them from `mctl run` as well; default: only a user can run them',
		{ trust: 'free' },
	),
	config: key(toolConfig, 'values for tools, nested or dotted; a tool gets the keys that it declares', {
		empty: {},
		merge: byName,
		isSecret: true,
	}),
	timeoutMs: key(count, 'deadline of a run, for tools without one of their own'),
	timeouts: key(mapOf(count), 'deadline of a run, by tool id', { empty: {}, merge: byName }),
	sandbox: key(sandbox, 'what tools may reach ([sandbox](sandbox.md))', { trust: 'counts' }),
	sandboxes: key(mapOf(sandbox), 'the same for one tool, by its id', { merge: byName, trust: 'counts' }),
	limits: key(childLimits, 'what tools may use ([limits](sandbox.md#limits))', { trust: 'counts' }),
};

export const libraryKeys = {
	prompts: key(path, 'folder of markdown that becomes prompts ([library](library.md))', { trust: 'inside' }),
	resources: key(path, 'folder of markdown that becomes resources', { trust: 'inside' }),
};

export const hubKeys = {
	listenAddr: key(address, '`host:port` of the QUIC listener for plugins; default: a free local port'),
	tcpAddr: key(address, '`host:port` of the TLS listener; default: none'),
	certsDir: key(path, 'folder of the certificates'),
	httpAddr: key(address, '`host:port` of the [HTTP listener](http.md); default: none'),
	httpPublic: key(flag, 'whether the HTTP listener may have an address that other machines reach', {
		byDefault: false,
	}),
	httpCert: key(path, 'file of its certificate chain, as PEM'),
	httpKey: key(path, 'file of its key, as PEM'),
	idleMs: key(
		countOrZero,
		'the shared hub ends after this time without a client; 0 means never ([hub](hub.md))',
	),
};

export const rateKeys = {
	client: key(count, 'all calls of a client'),
	server: key(count, 'its calls of one server'),
	tool: key(count, 'its calls of one tool'),
};

/** A number is that of all calls. */
const callRates: Shape<Values<typeof rateKeys>> = {
	read: (field, place) => {
		if (typeof field.value === 'object') return object(rateKeys).read(field, place);
		const client = count.read(field, place);
		return client === undefined ? undefined : { client };
	},
	schema: { anyOf: [count.schema, schemaOf(rateKeys)] },
};

export const limitKeys = {
	messageBytes: key(count, 'longest message', { byDefault: MESSAGE_LIMIT_BYTES }),
	requestMs: key(count, 'longest time of a call of a plugin', { byDefault: CALL_TIMEOUT_MS }),
	idleMs: key(count, 'a plugin without calls for this time is stopped until the next call; default: never'),
	listMs: key(count, 'how long a list waits for a server or plugin that starts', { byDefault: LIST_WAIT_MS }),
	resultBytes: key(
		count,
		'a larger result is stored, and any client gets its first part and a link ([results](results.md))',
		{ byDefault: RESULT_BYTES },
	),
	toolOutputBytes: key(count, 'most output of a run of a tool', { byDefault: TOOL_OUTPUT_BYTES }),
	toolEvents: key(count, 'most events of a run of a tool', { byDefault: TOOL_EVENTS }),
	toolsAtOnce: key(
		count,
		'how many tools a hub runs at a time; default: eight per core, fewer with a low limit of open files',
	),
	callsPerMinute: key(
		callRates,
		'most calls of a client in a minute, or of a `client`, `server` and `tool` each ([loops](loops.md)); default: any',
		{ trust: 'counts' },
	),
	identicalCalls: key(
		countOrZero,
		`most equal calls of a client in a row within a minute, 0 for any number; default: ${IDENTICAL_CALLS} for known agents, else any number`,
	),
	exceeded: key(
		word(['refuse', 'ask'] as const),
		'whether a call above `callsPerMinute` or `identicalCalls` is refused, or waits for an approval',
		{ byDefault: 'refuse' },
	),
	...childLimitKeys,
};

export const extensionsKeys = {
	pass: key(
		strings,
		'identifiers, such as `com.example/x`, that pass although the hub does not know them; for extensions that only add `_meta`',
		{ empty: [], merge: bothLists },
	),
};

export const tasksKeys = {
	detachAfterMs: key(
		count,
		'a call that takes longer becomes a task, for clients with [tasks](extensions.md#tasks)',
		{ byDefault: TASK_DETACH_MS },
	),
	detachAfter: key(mapOf(count), 'the same for some tools, by pattern: `{ "jobs__*": 1000 }`', {
		empty: {},
		merge: byName,
	}),
	always: key(strings, 'patterns of tools whose calls become tasks at once', { empty: [], merge: bothLists }),
	keep: key(
		flag,
		'`true`: a long call of a client without tasks goes on when the client ends; `task_status` and `task_result` reach it',
		{ byDefault: false },
	),
	ttlMs: key(count, 'how long the result of a task can be read', { byDefault: TASK_TTL_MS }),
	maxMs: key(count, 'longest time of a call that is a task', { byDefault: TASK_MAX_MS }),
};

const REGISTRY_URL = 'an https:// address';

export const registryKeys = {
	name: key(text, 'its name', { required: 'a name' }),
	url: key(checked(text, isRegistryUrl, REGISTRY_URL), 'its address, without the path of the API', {
		required: REGISTRY_URL,
	}),
};

function isRegistryUrl(url: string): boolean {
	return URL.canParse(url) && /^https?:/.test(url);
}

const servers: Shape<readonly ServerEntry[]> = {
	read: (field, place) =>
		field
			.entries()
			.flatMap(([name, entry]) =>
				readEntry(place.source, { section: 'mcpServers', name, field: entry }, () =>
					readServer(name, entry, place),
				),
			),
	schema: { type: 'object', additionalProperties: serverSchema },
	members: serverKeys,
};

/** Every section, in the order of the documentation. */
export const sections = {
	mcpServers: key(servers, 'MCP servers by name; a string is a `stdio:` URI', {
		empty: [],
		merge: (first, second) => firstOf(first, second, ({ name }) => name),
	}),
	tools: section(toolsKeys, 'tools of this project'),
	library: section(libraryKeys, 'markdown of this project'),
	plugins: key(listOf(plugin, readPluginEntry), 'programs that speak the [plugin protocol](plugins.md)', {
		empty: [],
		merge: (first, second) => firstOf(first, second, ({ id }) => id),
	}),
	hub: section(hubKeys, 'the [shared hub](hub.md)'),
	limits: section(limitKeys, 'bounds'),
	pin: pinOfAll,
	policy: key(
		policy,
		'which calls are allowed, are denied or need an approval ([policy](policy.md)); the rules of all files count; a rule with a mistake denies',
		{
			empty: [],
			merge: (first, second) => [...first, ...second],
			trust: 'part',
			partOf: (files) => files.map((rules) => rules.filter(({ action }) => action !== 'allow')),
		},
	),
	toolList: section(toolListKeys, 'which tools an agent lists', 'counts'),
	views: key(mapOf(valid(object(viewKeys))), 'parts of the tools by name, for `mctl serve --view NAME`', {
		empty: {},
		merge: byName,
		trust: 'counts',
	}),
	clients: key(mapOf(valid(object(clientKeys))), 'settings for one client, by the name in its `clientInfo`', {
		empty: {},
		merge: byName,
		trust: 'counts',
	}),
	results: section(resultKeys, 'how much of a result a client gets', 'counts'),
	search: section(searchKeys, 'how search ranks'),
	tasks: section(
		tasksKeys,
		'calls that go on when their client is gone ([tasks](extensions.md#tasks))',
		'counts',
	),
	plans: key(
		flag,
		'`true` lists `run_plan`, which runs a program of the agent that calls tools, and the programs in `plans/` ([plans](plans.md))',
		{ byDefault: false, trust: 'blocked' },
	),
	extensions: section(extensionsKeys, 'extensions of MCP ([extensions](extensions.md))'),
	fabric: key(
		valid(fabric),
		'tools of hubs on other machines, over NATS ([fabric](fabric.md)); absent: nothing of it is loaded',
	),
	identityProvider: key(
		valid(identityProvider),
		'the identity provider of your organisation, for servers with the grant `"enterprise"` ([machines](remote-servers.md#sign-in-for-machines))',
	),
	registries: key(
		listOf(valid(object(registryKeys))),
		'other directories of MCP servers for `mctl search` and `mctl add` ([registry](registry.md))',
		{ empty: [], merge: (first, second) => firstOf(first, second, ({ name }) => name) },
	),
};

/** Read a parsed file; problems go to `source`. A file of another client (`isOurs` false) may have unknown keys. */
export function readSections(source: FieldSource, isOurs: boolean, root: string): FileSections {
	const top = Field.of(source);
	if (isOurs) {
		onlyKeys(top, [...sectionNames, '$schema']);
		for (const [, server] of top.at('mcpServers').entries()) reportMistypedKeys(server);
	} else top.entries();
	return readMembers(sections, top, { source, root });
}

function readPluginEntry(field: Field, place: Place): PluginEntry[] {
	return readEntry(place.source, { section: 'plugins', field }, () => plugin.read(field, place));
}

/** The first of two entries with one name counts. */
function firstOf<T>(first: readonly T[], second: readonly T[], nameOf: (entry: T) => string): T[] {
	const taken = new Set(first.map(nameOf));
	return [...first, ...second.filter((entry) => !taken.has(nameOf(entry)))];
}

export const sectionNames: readonly string[] = Object.keys(sections);

/** The keys of servers, plugins and tools whose plain values may be secrets. Those of a command line are known one by one. */
export const secretKeys: ReadonlySet<string> = new Set([
	...[serverKeys, pluginKeys, toolsKeys].flatMap((keys: AnyKeys) =>
		Object.keys(keys).filter((name) => keys[name]?.isSecret && name !== 'args'),
	),
	'oauth',
]);

export const noSections: FileSections = emptyOf(sections);
