/*
 * One normal form for the server entries of all clients: that of our own configuration.
 *
 * The clients differ in the names of a few keys only, so one reader knows all names:
 * `serverUrl` (Windsurf), `httpUrl` (Gemini), `environment` and a command list
 * (OpenCode), a command object (Zed), `http_headers` (Codex), `requestOptions` (Continue).
 */
import { delimiter } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../wire/json.ts';
import { oauth } from '../sections/oauth-settings.ts';
import { settingKeys } from '../sections/server-entry.ts';
import type { ClientId } from './client-table.ts';

/** An entry of `mcpServers` in our configuration. */
export type NormalEntry = Readonly<Record<string, unknown>>;

type Raw = Readonly<Record<string, unknown>>;

/** What the clients call some of our keys; the first that is there counts. */
export const aliases = {
	url: ['httpUrl', 'serverUrl', 'url', 'uri'],
	allow: ['enabled_tools', 'includeTools'],
	deny: ['disabled_tools', 'excludeTools', 'disabledTools'],
} as const;

/** The entry, or why it cannot be imported. */
export function normalEntry(raw: unknown, client: ClientId): NormalEntry | string {
	if (!isObject(raw)) return 'is not an object';
	if (raw['source'] === 'extension') return 'is an extension of the client';
	const url = firstText(raw, aliases.url);
	const entry = url === undefined ? localEntry(raw, client) : remoteEntry(raw, url, client);
	if (entry === undefined) return 'has neither a command nor a url';
	const settings = settingsOf(raw, client, url !== undefined);
	return withoutEmpty({ ...entry, ...settings, disabled: isDisabled(raw) || undefined });
}

/** True when two entries start or reach the same server in the same way. */
export function isSameEntry(a: NormalEntry, b: NormalEntry): boolean {
	return isDeepStrictEqual(comparable(a), comparable(b));
}

/** One entry for a server that two clients have: the times of the first count, then those of the other. */
export function mergedEntry(first: NormalEntry, other: NormalEntry): NormalEntry {
	const times = Object.entries(other).filter(([key]) => timeKeys.has(key));
	return { ...Object.fromEntries(times), ...first };
}

const timeKeys: ReadonlySet<string> = new Set(['startMs', 'timeoutMs', 'maxMs', 'idleMs']);

/** Without defaults, times and the switch; keys in any order are equal already. */
function comparable(all: Raw): Raw {
	const entry = Object.fromEntries(
		Object.entries(all).filter(([key]) => key !== 'disabled' && !timeKeys.has(key)),
	);
	const type = entry['type'] === 'streamable-http' ? 'http' : entry['type'];
	const isDefault = type === 'stdio' || (type === 'http' && entry['url'] !== undefined);
	const { type: _, ...rest } = entry;
	return withoutEmpty(isDefault ? rest : { ...rest, type });
}

function localEntry(raw: Raw, client: ClientId): Raw | undefined {
	const { command } = raw;
	if (isObject(command)) {
		const { path, args, env } = command;
		return localEntry({ ...raw, command: path, args, env }, client);
	}
	const commandLine = Array.isArray(command) ? command : [command];
	const [program, ...before] = commandLine.map(textOf);
	if (program === undefined || program === '') return undefined;
	const after = Array.isArray(raw['args']) ? raw['args'].map(textOf) : [];
	const passed = Array.isArray(raw['env_vars'])
		? raw['env_vars']
				.map((each) => (isObject(each) ? each['name'] : each))
				.filter((name) => typeof name === 'string')
		: [];
	const env: Record<string, string> = {
		...Object.fromEntries(passed.map((name) => [name, `\${${name}:-}`])),
		...textMap(raw['environment']),
		...textMap(raw['env']),
	};
	const { PATH } = env;
	return {
		command: program,
		args: [...before, ...after],
		// VS Code appends this one to its own.
		env: client === 'vscode' && PATH !== undefined ? { ...env, PATH: `\${PATH}${delimiter}${PATH}` } : env,
		envFile: textOf(raw['envFile']),
		cwd: textOf(raw['cwd']),
	};
}

function remoteEntry(raw: Raw, url: string, client: ClientId): Raw {
	const options = isObject(raw['requestOptions']) ? raw['requestOptions'] : {};
	const bearer = textOf(raw['bearer_token_env_var']);
	const apiKey = client === 'continue' ? textOf(raw['apiKey']) : undefined;
	const fromEnvironment = Object.entries(textMap(raw['env_http_headers']));
	const headers = {
		...textMap(options['headers']),
		...textMap(raw['http_headers']),
		...textMap(raw['headers']),
		...Object.fromEntries(fromEnvironment.map(([name, variable]) => [name, `\${${variable}}`])),
		...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
		...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
	};
	// In the settings of Gemini `url` is always SSE.
	const isSse =
		raw['type'] === 'sse' ||
		(client === 'gemini' && raw['httpUrl'] === undefined && raw['type'] === undefined);
	const isSocket = raw['type'] === 'ws' || /^wss?:/.test(url);
	const type = isSocket ? 'ws' : isSse ? 'sse' : 'http';
	return { type, url, headers, headersHelper: textOf(raw['headersHelper']), oauth: oauthOf(raw) };
}

/** A client that is registered by hand. Cursor has it in `auth`, Codex and OpenCode under other names. */
function oauthOf(raw: Raw): Raw {
	const written = [raw['oauth'], raw['auth']].find(isObject) ?? {};
	const known = Object.keys(oauth.members ?? {}).filter((key) => key in written);
	return withoutEmpty({
		clientId: textOf(written['CLIENT_ID'] ?? written['client_id']),
		clientSecret: textOf(written['CLIENT_SECRET']),
		scopes: written['scope'] ?? raw['scopes'],
		...Object.fromEntries(known.map((key) => [key, written[key]])),
	});
}

/** Settings that we have too, under other names. Those of our own names stay as they are. */
function settingsOf(raw: Raw, client: ClientId, isRemote: boolean): Raw {
	const own = [...Object.keys(settingKeys), 'limits'];
	return {
		...callTimes(raw, client, isRemote),
		startMs:
			milliseconds(raw['startup_timeout_sec']) ??
			raw['startup_timeout_ms'] ??
			raw['connectionTimeout'] ??
			// OpenCode means the time until the tools are listed.
			(client === 'opencode' ? raw['timeout'] : undefined),
		allow: firstOf(raw, aliases.allow),
		deny: firstOf(raw, aliases.deny),
		sandbox: client === 'vscode' ? sandboxOf(raw) : raw['sandbox'],
		...Object.fromEntries(own.filter((key) => key in raw).map((key) => [key, raw[key]])),
	};
}

/** A sandbox of VS Code can be written without its lists of domains and of what is forbidden; see `foreignSandbox`. */
function sandboxOf(raw: Raw): Raw | true | undefined {
	if (raw['sandboxEnabled'] !== true) return undefined;
	const { filesystem } = isObject(raw['sandbox']) ? raw['sandbox'] : {};
	const write = isObject(filesystem) ? filesystem['allowWrite'] : undefined;
	return Array.isArray(write) && write.length > 0 ? { write } : true;
}

/** True when VS Code confines a server by domains, or by what it must not read or write. */
export function hasForeignSandbox(raw: Raw): boolean {
	const { filesystem, network } = isObject(raw['sandbox']) ? raw['sandbox'] : {};
	const lists = [
		...(isObject(filesystem) ? [filesystem['denyRead'], filesystem['denyWrite']] : []),
		...(isObject(network) ? [network['allowedDomains'], network['deniedDomains']] : []),
	];
	return raw['sandboxEnabled'] === true && lists.some((each) => Array.isArray(each) && each.length > 0);
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The time that a call may take: as the entry says, else as its client does where that is longer than our default. */
function callTimes(raw: Raw, client: ClientId, isRemote: boolean): Raw {
	const timeout =
		typeof raw['timeout'] === 'number' && raw['timeout'] > 0 ? Math.round(raw['timeout']) : undefined;
	switch (client) {
		case 'claude-code':
			// Progress does not extend its `timeout`, and less than a second does not count.
			if (timeout !== undefined && timeout >= 1000) return { timeoutMs: timeout, maxMs: timeout };
			return { timeoutMs: (isRemote ? 5 : 30) * MINUTE_MS, maxMs: 28 * HOUR_MS };
		// Nor that of the others.
		case 'gemini':
			return totalTime(timeout ?? 10 * MINUTE_MS);
		case 'cline':
			return totalTime(milliseconds(raw['timeout']) ?? MINUTE_MS);
		case 'codex':
			return totalTime(milliseconds(raw['tool_timeout_sec']) ?? MINUTE_MS);
		default:
			return {};
	}
}

function totalTime(ms: number): Raw {
	return { timeoutMs: ms, maxMs: ms };
}

function milliseconds(seconds: unknown): number | undefined {
	return typeof seconds === 'number' && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

function isDisabled(raw: Raw): boolean {
	return raw['disabled'] === true || raw['enabled'] === false;
}

function firstOf(raw: Raw, keys: readonly string[]): unknown {
	return raw[keys.find((key) => (raw[key] ?? undefined) !== undefined) ?? ''];
}

function firstText(raw: Raw, keys: readonly string[]): string | undefined {
	return keys.map((key) => textOf(raw[key])).find((text) => text !== undefined && text !== '');
}

function textOf(value: unknown): string | undefined {
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	return typeof value === 'string' ? value : undefined;
}

function textMap(value: unknown): Record<string, string> {
	if (!isObject(value)) return {};
	return Object.fromEntries(
		Object.entries(value).flatMap(([key, inner]): [string, string][] => {
			const text = textOf(inner);
			return text === undefined ? [] : [[key, text]];
		}),
	);
}

/** Without undefined values, empty lists and empty maps. */
function withoutEmpty(entry: Raw): Raw {
	return Object.fromEntries(
		Object.entries(entry).filter(([, value]) => {
			if (Array.isArray(value)) return value.length > 0;
			return value !== undefined && !(isObject(value) && Object.keys(value).length === 0);
		}),
	);
}
