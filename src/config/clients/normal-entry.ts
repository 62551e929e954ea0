/*
 * One normal form for the server entries of all clients: that of our own configuration.
 *
 * The clients differ in the names of a few keys only, so one reader knows all names:
 * `serverUrl` (Windsurf), `httpUrl` (Gemini), `environment` and a command list
 * (OpenCode), a command object (Zed), `http_headers` (Codex), `requestOptions` (Continue).
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../wire/json.ts';
import type { ClientId } from './client-table.ts';

/** An entry of `mcpServers` in our configuration. */
export type NormalEntry = Readonly<Record<string, unknown>>;

type Raw = Readonly<Record<string, unknown>>;

/** The entry, or why it cannot be imported. */
export function normalEntry(raw: unknown, client: ClientId): NormalEntry | string {
	if (!isObject(raw)) return 'is not an object';
	if (raw['source'] === 'extension') return 'is an extension of the client';
	const url = firstText(raw, ['httpUrl', 'serverUrl', 'url', 'uri']);
	const entry = url === undefined ? localEntry(raw) : remoteEntry(raw, url, client);
	if (entry === undefined) return 'has neither a command nor a url';
	return withoutEmpty({ ...entry, ...settingsOf(raw, client), disabled: isDisabled(raw) || undefined });
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

function localEntry(raw: Raw): Raw | undefined {
	const { command } = raw;
	if (isObject(command)) {
		return localEntry({ ...raw, command: command['path'], args: command['args'], env: command['env'] });
	}
	const words = Array.isArray(command) ? command : [command];
	const [program, ...before] = words.map(textOf);
	if (program === undefined || program === '') return undefined;
	const after = Array.isArray(raw['args']) ? raw['args'].map(textOf) : [];
	const passed = Array.isArray(raw['env_vars'])
		? raw['env_vars'].filter((name) => typeof name === 'string')
		: [];
	const env = {
		...Object.fromEntries(passed.map((name) => [name, `\${${name}:-}`])),
		...textMap(raw['environment']),
		...textMap(raw['env']),
	};
	return {
		command: program,
		args: [...before, ...after],
		env,
		envFile: textOf(raw['envFile']),
		cwd: textOf(raw['cwd']),
	};
}

function remoteEntry(raw: Raw, url: string, client: ClientId): Raw {
	const options = isObject(raw['requestOptions']) ? raw['requestOptions'] : {};
	const bearer = textOf(raw['bearer_token_env_var']);
	const fromEnvironment = Object.entries(textMap(raw['env_http_headers']));
	const headers = {
		...textMap(options['headers']),
		...textMap(raw['http_headers']),
		...textMap(raw['headers']),
		...Object.fromEntries(fromEnvironment.map(([name, variable]) => [name, `\${${variable}}`])),
		...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
	};
	// In the settings of Gemini `url` is always SSE.
	const isSse =
		raw['type'] === 'sse' ||
		(client === 'gemini' && raw['httpUrl'] === undefined && raw['type'] === undefined);
	const isSocket = raw['type'] === 'ws' || /^wss?:/.test(url);
	const type = isSocket ? 'ws' : isSse ? 'sse' : 'http';
	return { type, url, headers, headersHelper: textOf(raw['headersHelper']) };
}

/** Settings that we have too, under other names. Those of our own names stay as they are. */
function settingsOf(raw: Raw, client: ClientId): Raw {
	const own = [
		'scope',
		'startMs',
		'timeoutMs',
		'maxMs',
		'idleMs',
		'concurrency',
		'queue',
		'restart',
		'allow',
	];
	const more = ['deny', 'rename', 'learn', 'eager', 'alwaysLoad', 'prefix', 'redact', 'sandbox', 'limits'];
	return {
		startMs: milliseconds(raw['startup_timeout_sec']) ?? raw['startup_timeout_ms'],
		timeoutMs: milliseconds(raw['tool_timeout_sec']),
		...timeoutOf(raw['timeout'], client),
		allow: raw['enabled_tools'] ?? raw['includeTools'],
		deny: raw['disabled_tools'] ?? raw['excludeTools'] ?? raw['disabledTools'],
		...Object.fromEntries([...own, ...more].filter((key) => key in raw).map((key) => [key, raw[key]])),
	};
}

/** The time that a call may take. In Claude Code progress does not extend it. */
function timeoutOf(timeout: unknown, client: ClientId): Raw {
	if (typeof timeout !== 'number' || !(timeout > 0)) return {};
	if (client === 'gemini') return { timeoutMs: Math.round(timeout), maxMs: Math.round(timeout) };
	if (client === 'cline') return { timeoutMs: milliseconds(timeout) };
	return client === 'claude-code' ? { maxMs: Math.round(timeout) } : {};
}

function milliseconds(seconds: unknown): number | undefined {
	return typeof seconds === 'number' && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

function isDisabled(raw: Raw): boolean {
	return raw['disabled'] === true || raw['enabled'] === false;
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
