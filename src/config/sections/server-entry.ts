/*
 * An entry of `mcpServers`: how a server is started or reached, and how the hub runs it.
 * Keys that are not in the tables are ignored: another client may use them.
 */
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { registerArgs } from '../../secrets/secret-name.ts';
import type { RemoteServerEntry, ServerEntry, ServerSettings, StdioServerEntry } from '../configuration.ts';
import { type Field, isText, reportMistyped } from '../field.ts';
import {
	checked,
	count,
	countOrZero,
	defaultsOf,
	flag,
	type KeySchema,
	key,
	mapped,
	type Place,
	path,
	readKey,
	readMembers,
	type Shape,
	schemaOf,
	secretMap,
	strings,
	text,
	textMap,
	word,
} from '../key.ts';
import { pinMode } from '../pin-mode.ts';
import { childLimits, sandbox } from './confinement.ts';
import { oauth } from './oauth-settings.ts';
import { serverResults } from './results-section.ts';
import { toolOverrides } from './tool-overrides.ts';

/** Who shares a process of a server: all clients, the calls of one client session, or nobody. */
export const serverScopes = ['shared', 'session', 'call'] as const;
const types = ['stdio', 'http', 'streamable-http', 'sse', 'ws'] as const;

/** A relative path is resolved against the file; a bare name is left for PATH. */
const program = mapped(text, (name, field) => (/^(\.{1,2}|~)[/\\]/.test(name) ? field.path() : name));

/** Its variables are left to the shell. */
const shellCommand: Shape<string> = {
	...text,
	read: (field) => field.expect(isText, 'a non-empty string'),
};

const serverType: Shape<(typeof types)[number]> = {
	...mapped(
		text,
		(type, field) => types.find((each) => each === type) ?? field.report('"stdio", "http", "sse" or "ws"'),
	),
	schema: word(types).schema,
};

const url = checked(
	text,
	(address) => /^(?:https?|wss?):\/\/.|^unix:\/\/\/./.test(address),
	'an http://, https://, ws://, wss:// or unix:/// address',
);

/** Two tools with the same new name could not be distinguished. */
const rename: Shape<Readonly<Record<string, string>>> = {
	read: (field) => {
		const names = new Map<string, string>();
		for (const [own, given] of field.entries()) {
			const name = given.text();
			if (name === undefined) continue;
			if ([...names.values()].includes(name)) given.report('a new name of its own for each tool');
			names.set(own, name);
		}
		return Object.fromEntries(names);
	},
	schema: textMap,
};

/** How a server is started. */
const localKeys = {
	command: key(program, 'the program; one with `./` is a path, a bare name is looked up on PATH'),
	args: key(strings, 'its arguments', { empty: [], isSecret: true }),
	env: key(
		secretMap,
		'its environment variables, beside a minimal environment; may have [secret references](secrets.md)',
		{ isSecret: true },
	),
	envFile: key(path, 'a file of `NAME=value` lines with further variables; those of `env` win'),
	cwd: key(path, 'its working directory, or that of its `headersHelper`; default: the folder of the project'),
	sandbox: key(sandbox, 'what it may reach ([sandbox](sandbox.md))'),
	limits: key(childLimits, 'what it may use ([limits](sandbox.md#limits))'),
};

/** How a server is reached. */
const remoteKeys = {
	url: key(url, 'the address of a [remote server](remote-servers.md)'),
	headers: key(secretMap, 'HTTP headers; may have secret references', { isSecret: true }),
	headersHelper: key(
		shellCommand,
		'a shell command that prints further headers as JSON, for each connection ([remote servers](remote-servers.md))',
	),
	oauth: key(oauth, 'how to sign in, for servers that need more than the defaults'),
};

const commonKeys = {
	type: key(
		serverType,
		'`"ws"` for a WebSocket; default: `"http"` for an entry with a `url`, else `"stdio"`',
	),
	disabled: key(flag, 'leave it out', { byDefault: false }),
	enabled: key(flag, '`false` leaves it out', { byDefault: true }),
};

/** How the hub runs a server. A key without a value counts with its default. */
export const settingKeys = {
	scope: key(
		word(serverScopes),
		'who shares a process ([scope](servers.md#scope)); without it, a server that asks its clients gets `"session"`',
		{ byDefault: 'shared' },
	),
	startMs: key(count, 'deadline of a start with its handshake; a first `npx` downloads', {
		byDefault: 60_000,
	}),
	timeoutMs: key(count, 'longest time of a call without progress', { byDefault: 30_000 }),
	maxMs: key(count, 'longest time of a call', { byDefault: 600_000 }),
	idleMs: key(countOrZero, 'a server without calls for this time is stopped; 0 means never', {
		byDefault: 600_000,
	}),
	concurrency: key(count, 'calls in flight', { byDefault: 64 }),
	queue: key(countOrZero, 'calls that wait for one in flight; further calls are refused', {
		byDefault: 1000,
	}),
	restart: key(flag, 'whether it is started again after a crash', { byDefault: true }),
	allow: key(strings, 'patterns of the tools that are listed, such as `["read_*"]`; default: all'),
	deny: key(strings, 'patterns of the tools that are not', { byDefault: [] }),
	rename: key(
		rename,
		'new names of tools: `{ "old": "new" }`; a tool whose name another one gets is left out, with a warning',
		{ byDefault: {} },
	),
	overrides: key(
		toolOverrides,
		'other names, descriptions and fixed values for its tools, by their own names ([overrides](overrides.md))',
		{ byDefault: {} },
	),
	learn: key(
		flag,
		'whether its first lists are learnt in the background ([first lists](servers.md#first-lists))',
		{ byDefault: true },
	),
	eager: key(flag, 'start it with the hub, and never stop it when idle', { byDefault: false }),
	alwaysLoad: key(flag, 'whether its tools are listed although agents [search](tool-search.md)', {
		byDefault: false,
	}),
	prefix: key(flag, '`false` lists its tools without the prefix `server__`', { byDefault: true }),
	redact: key(flag, 'replaces [secrets](secrets.md#redaction) in its results too', { byDefault: false }),
	record: key(flag as Shape<boolean | string>, 'writes its messages to a [recording](record.md)', {
		byDefault: false,
	}),
	pin: key(
		pinMode,
		'what happens when it changes its tools ([pins](trust.md#pins)); default: that of all servers',
	),
	results: key(serverResults, 'how much of a result agents get'),
	select: key(
		flag,
		'whether its tools take `_select`, which picks from the result ([results](results.md#select))',
		{ byDefault: false },
	),
};

/** Keys of other clients that look like a mistyped one of ours. */
const foreignKeys = ['timeout', 'name', 'trust', 'tools', 'title', 'httpUrl', 'auth', 'account'];

/** Every key of an entry. */
export const serverKeys = { ...localKeys, ...remoteKeys, ...commonKeys, ...settingKeys };

export const serverSchema: KeySchema = {
	anyOf: [{ type: 'string', pattern: '^stdio:' }, schemaOf(serverKeys, true)],
};

/** Report the keys that are probably mistyped. */
export function reportMistypedKeys(field: Field): void {
	reportMistyped(field, Object.keys(serverKeys), foreignKeys);
}

/** The keys that entries of all kinds of servers have. */
type ServerBase = Pick<RemoteServerEntry, 'name' | 'isEnabled' | 'timeoutMs' | 'settings' | 'file'>;

/** Read an entry; undefined when it has a problem. */
export function readServer(name: string, field: Field, place: Place): ServerEntry | undefined {
	const isUri = typeof field.value === 'string';
	if (!isUri) field.entries();
	const settings = readSettings(field, place);
	const { type, ...switches } = readMembers(commonKeys, field, place);
	const base: ServerBase = {
		name,
		isEnabled: isEntryEnabled(switches),
		timeoutMs: field.at('timeoutMs').isPresent ? settings.timeoutMs : undefined,
		settings,
		file: place.source.file,
	};
	if (isUri) return readUri(field, base, place);
	if (field.at('type').isPresent && type === undefined) return undefined;
	const isRemote = field.at('url').isPresent && type !== 'stdio';
	return isRemote ? readRemote(field, base, place) : readStdio(field, base, place);
}

/** Servers and plugins are disabled by `disabled: true` or `enabled: false`. */
export function isEntryEnabled(entry: {
	readonly disabled?: boolean | undefined;
	readonly enabled?: boolean | undefined;
}): boolean {
	return entry.disabled !== true && entry.enabled !== false;
}

function readSettings(field: Field, place: Place): ServerSettings {
	const values = { ...defaultsOf(settingKeys), ...readMembers(settingKeys, field, place) };
	// Every key with a default has a value.
	return { ...(values as ServerSettings), hasOwnScope: field.at('scope').isPresent };
}

/** An entry that is a string: a `stdio:` URI. */
function readUri(
	field: Field,
	{ timeoutMs: _none, ...base }: ServerBase,
	{ root }: Place,
): StdioServerEntry | undefined {
	const uri = field.text();
	if (uri === undefined) return undefined;
	try {
		const record = parseStdioUri(uri);
		registerArgs(record.command, record.args ?? []);
		return { kind: 'stdio', ...base, record: { ...record, cwd: root } };
	} catch {
		return field.report('an object, or a URI as in "stdio:npx -y some-server"');
	}
}

function readRemote(field: Field, base: ServerBase, place: Place): RemoteServerEntry | undefined {
	const { url: address, headers, headersHelper, oauth: signIn } = readMembers(remoteKeys, field, place);
	if (address === undefined) return undefined;
	const isSocket = /^wss?:/.test(address);
	const type = field.at('type').value ?? (isSocket ? 'ws' : 'http');
	const kind = type === 'sse' || type === 'ws' ? type : 'http';
	if (isSocket !== (kind === 'ws'))
		return field
			.at('url')
			.report(kind === 'ws' ? 'a ws:// or wss:// address' : 'an http:// or https:// address');
	return {
		url: address,
		headers: headers?.plain ?? {},
		secrets: headers?.secrets,
		oauth: signIn,
		...base,
		kind,
		...(headersHelper !== undefined && {
			headersHelper,
			cwd: readKey(localKeys.cwd, 'cwd', field, place) ?? place.root,
		}),
	};
}

function readStdio(
	field: Field,
	{ timeoutMs, ...base }: ServerBase,
	place: Place,
): StdioServerEntry | undefined {
	if (!field.at('command').isPresent) return field.at('command').report('a command, or a url');
	const values = readMembers(localKeys, field, place);
	const { command, args, env, envFile, cwd = place.root, sandbox: box, limits } = values;
	if (command === undefined) return undefined;
	registerArgs(command, args);
	const confined = { ...(box && { sandbox: box }), ...(limits && { limits }) };
	return {
		kind: 'stdio',
		...base,
		record: { command, args, env: env?.plain ?? {}, cwd, timeoutMs, ...confined },
		secrets: env?.secrets,
		...(envFile !== undefined && { envFile }),
	};
}
