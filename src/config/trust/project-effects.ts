/*
 * What a project file would run and set, read from its text as it is written: nothing is
 * expanded, so no variable and no secret is in it.
 *
 * A program starts by itself, a port is opened by itself: such effects are blocked
 * until the file is trusted. Others can only make things stricter, and only where the
 * user's own configuration says nothing. A section that is not known here is blocked.
 */
import { resolve } from 'node:path';
import { NESTING_DEPTH } from '../../core-limits.ts';
import { isInside } from '../../files/is-inside.ts';
import { commandLine } from '../../process/spawn-record.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { redact } from '../../redact.ts';
import { referenceText, splitReferences } from '../../secrets/secret-text.ts';
import { isObject, type JsonValue } from '../../wire/json.ts';
import type { AnyKeys } from '../key.ts';
import { yamlKeys } from '../plugins-yaml.ts';
import { secretKeys, sectionNames, sections } from '../sections/sections.ts';
import { isSelfCommand } from '../self-entry.ts';

/** One thing that a file would run or set. */
export interface ProjectEffect {
	readonly kind: 'server' | 'plugin' | 'setting' | 'plan';
	/** The name of the server or of the plan, the id of the plugin, or the key of the setting. */
	readonly name: string;
	/** The command line or the value, without secrets. Written by a stranger: escape it. */
	readonly text: string;
	/** Whether it has no effect until the file is trusted. */
	readonly isBlocked: boolean;
}

/** The effects of a parsed file. `folder` is that of the file. None for a file that needs no trust. */
export function projectEffects(value: JsonValue, folder: string): ProjectEffect[] {
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, section]): ProjectEffect[] => {
		if (name === 'mcpServers') return membersOf(section).map(serverEffect);
		if (name === 'plugins') return Array.isArray(section) ? section.map(pluginEffect) : [];
		if (name === 'policy') return policyEffects(section);
		if (Object.hasOwn(yamlKeys, name)) return [setting(name, section)];
		// Another one is never read.
		return sectionNames.includes(name) ? settingEffects(sections, [name], section, folder) : [];
	});
}

/** The effects of a key, by its row of the table. A key that is not in it is blocked. */
function settingEffects(keys: AnyKeys, path: string[], value: unknown, folder: string): ProjectEffect[] {
	const [name, last = ''] = [path.join('.'), path.at(-1)];
	const { trust, members: inner, isSecret } = (Object.hasOwn(keys, last) && keys[last]) || {};
	const members = membersOf(value);
	if (trust === undefined && isObject(value) && path.length === 1)
		return members.flatMap(([key, each]) => settingEffects(inner ?? {}, [...path, key], each, folder));
	if (trust === 'free') return [];
	if (trust === 'inside') {
		const outside = (Array.isArray(value) ? value : [value]).filter((each) => !isWrittenInside(each, folder));
		return outside.length === 0 ? [] : [setting(name, Array.isArray(value) ? outside : value)];
	}
	if (trust === undefined && isSecret && isObject(value)) {
		const names = members.map(([key]) => key);
		return names.length === 0 ? [] : [{ ...setting(name, ''), text: `keys: ${names.join(', ')}` }];
	}
	return [setting(name, value, trust !== 'counts')];
}

/** Whether a path as it is written is inside a folder. One with a variable or `~` may be anywhere. */
export function isWrittenInside(path: unknown, folder: string): boolean {
	if (typeof path !== 'string' || path.includes('${') || path.startsWith('~')) return false;
	return isInside(resolve(folder, path), folder);
}

function membersOf(value: unknown): [string, unknown][] {
	return isObject(value) ? Object.entries(value) : [];
}

function serverEffect([name, entry]: [string, unknown]): ProjectEffect {
	const record = commandOf(entry);
	const isSelf = record !== undefined && isSelfCommand(record) && !(isObject(entry) && 'cwd' in entry);
	const start = record ? commandLine(record) : urlOf(entry);
	return { kind: 'server', name, text: describe(start, entry), isBlocked: !isSelf };
}

function urlOf(entry: unknown): string {
	const url = isObject(entry) ? entry['url'] : undefined;
	return typeof url === 'string' ? writtenUrl(url) : '';
}

/** A URL without the parts that may be secret. */
export function writtenUrl(url: string): string {
	return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1').replace(/[?#].*$/s, '?…');
}

/** Undefined for a remote server and for an entry that is not right. */
function commandOf(entry: unknown): { command: string; args: string[] } | undefined {
	if (typeof entry === 'string') {
		try {
			const { command, args = [] } = parseStdioUri(entry);
			return { command, args: [...args] };
		} catch {
			return { command: entry, args: [] };
		}
	}
	const command = isObject(entry) ? (entry['command'] ?? entry['binary']) : undefined;
	if (typeof command !== 'string') return undefined;
	const args = isObject(entry) && Array.isArray(entry['args']) ? entry['args'].map(String) : [];
	return { command, args };
}

function pluginEffect(entry: unknown): ProjectEffect {
	const id = isObject(entry) ? entry['id'] : undefined;
	const name = typeof id === 'string' ? id : '(no id)';
	const record = commandOf(entry);
	return { kind: 'plugin', name, text: describe(record ? commandLine(record) : '', entry), isBlocked: true };
}

/** Keys of an entry that are in the start of its text. */
const inStart = ['type', 'command', 'args', 'url', 'id', 'binary'];

/** The command with the names of its variables, its references and its other settings. */
function describe(start: string, entry: unknown): string {
	if (!isObject(entry)) return redact(start);
	const names = [...secretKeys].flatMap((key) => {
		const keys = membersOf(entry[key]).map(([name]) => name);
		return keys.length === 0 ? [] : [`${key}: ${keys.join(', ')}`];
	});
	const account = isObject(entry['oauth']) ? entry['oauth']['account'] : undefined;
	if (typeof account === 'string') names.push(`signed in as the account "${account}"`);
	const references = [...new Set(referencesIn(entry))];
	const plain = Object.entries(entry)
		.filter(([key]) => !inStart.includes(key) && !secretKeys.has(key))
		.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
	const secrets = references.length === 0 ? [] : [`secrets: ${references.join(', ')}`];
	return redact([start, ...names, ...secrets, ...plain].join('; '));
}

/** The secret references anywhere in a value: `${cmd:…}` runs a program too. */
function referencesIn(value: unknown, depth: number = 0): string[] {
	if (depth > NESTING_DEPTH) return [];
	if (typeof value === 'string')
		return splitReferences(value).flatMap((part) => (typeof part === 'string' ? [] : [referenceText(part)]));
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap((inner) => referencesIn(inner, depth + 1));
}

/** Rules that allow are blocked; rules that ask or deny count from the start. */
function policyEffects(section: unknown): ProjectEffect[] {
	const rules = Array.isArray(section) ? section : [section];
	const isAllowing = (rule: unknown): boolean => isObject(rule) && rule['action'] === 'allow';
	const allowing = rules.filter(isAllowing);
	const others = rules.filter((rule) => !isAllowing(rule));
	return [
		...(allowing.length > 0 ? [setting('policy (allow)', allowing)] : []),
		...(others.length > 0 ? [setting('policy', others, false)] : []),
	];
}

function setting(name: string, value: unknown, isBlocked: boolean = true): ProjectEffect {
	return { kind: 'setting', name, text: redact(JSON.stringify(value) ?? ''), isBlocked };
}
