/*
 * The values of the configuration files that are in effect, each with its file and line.
 *
 * Whether a value counts is read from the merged sections themselves, so no rule of the
 * merge is repeated here. A unit is what counts as a whole: an entry, a rule, a key.
 */
import { dirname } from 'node:path';
import type { Configuration, PolicyRule } from '../../config/configuration.ts';
import { type AnyKeys, bothLists, byName } from '../../config/key.ts';
import type { LoadedConfiguration } from '../../config/load.ts';
import { type ConfigFile, mergeSections } from '../../config/merge-sections.ts';
import { yamlKeys } from '../../config/plugins-yaml.ts';
import { type FileSections, secretKeys, sectionNames, sections } from '../../config/sections/sections.ts';
import { isWrittenInside } from '../../config/trust/project-effects.ts';
import { redactArgs } from '../../named-secrets.ts';
import { redact } from '../../redact.ts';
import { MASK } from '../../token-shapes.ts';
import { isObject } from '../../wire/json.ts';
import type { SettingRow } from '../api/api-catalogue.ts';
import { SETTING_CHARACTERS, SETTING_DEPTH } from '../dashboard-limits.ts';

/** Behind the place of a value that does not count yet. */
export const BLOCKED_MARK = ' (blocked until mctl trust)';

type Path = readonly string[];

interface Unit {
	/** The path in the file. */
	readonly path: Path;
	/** The key as users know it. */
	readonly key: string;
	readonly value: unknown;
	readonly state: 'counts' | 'blocked' | 'unused';
}

/** One row per value, in the order in which files count. */
export function settingRows({ configuration, read }: LoadedConfiguration): SettingRow[] {
	const merged = { configuration, sections: mergeSections(read), rules: configuration.policy.flat() };
	const shownRules = new Set<PolicyRule>();
	const taken = new Set<string>();
	return read.flatMap((file) =>
		unitsOf(file, { ...merged, shownRules }).flatMap((unit): SettingRow[] => {
			const isTaken = taken.has(unit.key) && !isJoined(unit.key);
			if (unit.state === 'unused' || (unit.state === 'counts' && isTaken)) return [];
			if (unit.state === 'counts') taken.add(unit.key);
			return [...leaves(unit.value, [])].map(({ path, value }) => rowOf(file, unit, path, value));
		}),
	);
}

function rowOf({ file, document }: ConfigFile, unit: Unit, below: Path, value: unknown): SettingRow {
	const path = [...unit.path, ...below];
	const mark = unit.state === 'blocked' ? BLOCKED_MARK : '';
	return {
		key: [unit.key, ...below].join('.'),
		value: shown(path, below.at(-1) === 'args' ? safeArgs(unit, below, value) : value),
		source: `${file}:${document.lineOf(path)}${mark}`,
	};
}

interface Merged {
	readonly configuration: Configuration;
	readonly sections: FileSections;
	/** The rules of all files. */
	readonly rules: readonly PolicyRule[];
	readonly shownRules: Set<PolicyRule>;
}

function unitsOf(file: ConfigFile, merged: Merged): Unit[] {
	return membersOf(file.document.value).flatMap(([section, value]): Unit[] => {
		if (Object.hasOwn(yamlKeys, section)) return [plainUnit(file, merged, [section], value)];
		if (!sectionNames.includes(section)) return []; // no part of the hub reads it
		if (section === 'plugins') return membersOf(value).map((member) => pluginUnit(file, merged, member));
		if (section === 'policy') return membersOf(value).map((member) => ruleUnit(file, merged, member));
		if (section === 'mcpServers')
			return membersOf(value).map(([name, inner]) => serverUnit(file, merged, [section, name], inner));
		return plainUnits(file, merged, [section], value);
	});
}

/** The members of an object count one by one where the table says so; another value counts as a whole. */
function plainUnits(file: ConfigFile, merged: Merged, path: Path, value: unknown): Unit[] {
	const row = keyAt(path);
	const isDivided = row?.isDivided || row?.merge === byName;
	if (!isDivided || !isObject(value)) return [plainUnit(file, merged, path, value)];
	return membersOf(value).flatMap(([name, inner]) => plainUnits(file, merged, [...path, name], inner));
}

/** The row of a key; undefined for what is inside of a value. */
function keyAt(path: Path): AnyKeys[string] | undefined {
	let keys: AnyKeys | undefined = sections;
	let found: AnyKeys[string] | undefined;
	for (const name of path) {
		found = keys && Object.hasOwn(keys, name) ? keys[name] : undefined;
		keys = found?.isDivided ? found.members : undefined;
	}
	return found;
}

/** Lists of all files count. */
function isJoined(key: string): boolean {
	return keyAt(key.split('.'))?.merge === bothLists;
}

function serverUnit(file: ConfigFile, { configuration }: Merged, path: Path, value: unknown): Unit {
	const entry = configuration.mcpServers.find(({ name }) => name === path[1]);
	return { path, key: path.join('.'), value, state: stateOf(file, entry?.file === file.file) };
}

function pluginUnit(file: ConfigFile, { configuration }: Merged, [place, value]: [string, unknown]): Unit {
	const id = isObject(value) ? String(value['id']) : '';
	const entry = configuration.plugins.find((plugin) => plugin.id === id);
	const state = stateOf(file, entry?.file === file.file);
	return { path: ['plugins', place], key: `plugins.${id}`, value, state };
}

/** A rule has its place in the order of all files. */
function ruleUnit(file: ConfigFile, { rules, shownRules }: Merged, [place, value]: [string, unknown]): Unit {
	const path = ['policy', place];
	const isBlocked = !file.isTrusted && isObject(value) && value['action'] === 'allow';
	if (isBlocked) return { path, key: path.join('.'), value, state: 'blocked' };
	const line = file.document.lineOf(path);
	const rule = rules.find((each) => each.file === file.file && each.line === line && !shownRules.has(each));
	if (rule === undefined) return { path, key: path.join('.'), value, state: 'unused' };
	shownRules.add(rule);
	return { path, key: `policy.${rules.indexOf(rule)}`, value, state: 'counts' };
}

/** A value that the merge took over is the same one there. */
function plainUnit(file: ConfigFile, { sections }: Merged, path: Path, value: unknown): Unit {
	const name = path.join('.');
	const key = yamlKeys[name] ?? name;
	const inSections = key.split('.');
	const own = valueAt(file.sections, inSections);
	if (key === 'tools.roots' && !file.isTrusted) return outsideRoots(file, path, value);
	if (own === undefined) return { path, key, value, state: stateOf(file, false) };
	const counts = isJoined(key) || own === valueAt(sections, inSections);
	return { path, key, value, state: counts ? 'counts' : 'unused' };
}

/** Folders outside of the project are blocked when the file is not trusted. */
function outsideRoots({ file }: ConfigFile, path: Path, value: unknown): Unit {
	const folder = dirname(file);
	const isBlocked = Array.isArray(value) && value.some((root) => !isWrittenInside(root, folder));
	return { path, key: path.join('.'), value, state: isBlocked ? 'blocked' : 'counts' };
}

/** A key of a trusted file that does not count is overridden, or has a problem. */
function stateOf({ isTrusted }: ConfigFile, counts: boolean): Unit['state'] {
	if (counts) return 'counts';
	return isTrusted ? 'unused' : 'blocked';
}

/** The members of an object or list. */
function membersOf(value: unknown): [string, unknown][] {
	return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function valueAt(value: unknown, path: Path): unknown {
	return path.reduce(
		(inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
		value,
	);
}

function* leaves(value: unknown, path: Path): Generator<{ readonly path: Path; readonly value: unknown }> {
	if (isObject(value) && path.length < SETTING_DEPTH && Object.keys(value).length > 0)
		for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
	else yield { path, value };
}

/** The arguments of a command. */
function safeArgs({ value: entry }: Unit, below: Path, args: unknown): unknown {
	if (!Array.isArray(args)) return args;
	const command =
		valueAt(entry, [...below.slice(0, -1), 'command']) ?? valueAt(entry, [...below.slice(0, -1), 'binary']);
	return redactArgs(typeof command === 'string' ? command : '', args.map(String));
}

/** The value of a parameter that the client does not choose: `overrides.<tool>.parameters.<name>.value` of a server. */
function isFixedValue([section, , key, , , , last]: Path): boolean {
	return section === 'mcpServers' && key === 'overrides' && last === 'value';
}

function shown(path: Path, value: unknown): string {
	const mayBeSecret = path.slice(1, -1).some((key) => secretKeys.has(key)) || isFixedValue(path);
	const isReference = typeof value === 'string' && /^(?:Bearer )?\$\{[^}]*\}$/.test(value);
	const isPlain = typeof value === 'number' || typeof value === 'boolean';
	if (mayBeSecret && !isReference && !isPlain) return JSON.stringify(MASK);
	const safe = redact(JSON.stringify(value) ?? '');
	return safe.length > SETTING_CHARACTERS ? `${safe.slice(0, SETTING_CHARACTERS)}…` : safe;
}
