/*
 * The values of the configuration files that are in effect, each with its file and line.
 *
 * Whether a value counts is read from the merged sections themselves, so no rule of the
 * merge is repeated here. A unit is what counts as a whole: an entry, a rule, a key.
 */
import { dirname } from 'node:path';
import type { Configuration, PolicyRule } from '../config/configuration.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import { type ConfigFile, mergeSections } from '../config/merge-sections.ts';
import { type FileSections, sectionNames } from '../config/sections.ts';
import { isWrittenInside } from '../config/trust/project-effects.ts';
import { redact } from '../redact.ts';
import { MASK } from '../token-shapes.ts';
import { isObject } from '../wire/json.ts';
import type { SettingRow } from './api-offers.ts';

const DEPTH_LIMIT = 6;
/** Longest value. */
const VALUE_CHARACTERS = 500;
/** Keys whose plain values may be secrets. */
const secretSections = new Set(['env', 'headers', 'oauth', 'config']);
/** Sections whose members count one by one; another one counts as a whole. */
const memberSections = new Set([
	'mcpServers',
	'tools',
	'library',
	'hub',
	'limits',
	'toolList',
	'views',
	'clients',
]);
/** Keys of `tools` whose members count one by one. */
const toolMembers = new Set(['config', 'timeouts', 'sandboxes']);
/** Lists of all files count. */
const joinedLists = new Set(['tools.roots', 'toolList.always']);
/** Where the sections have a key under another name. */
const renamed: ReadonlyMap<string, string> = new Map([
	['hub.listenAddr', 'hub.listenAddress'],
	['hub.tcpAddr', 'hub.tcpAddress'],
	['hub.httpAddr', 'hub.httpAddress'],
	['listen_addr', 'hub.listenAddress'],
	['tcp_addr', 'hub.tcpAddress'],
	['certs_dir', 'hub.certsDir'],
]);

/** Behind the place of a value that does not count yet. */
export const HELD_BACK = ' (held back until mctl trust)';

type Path = readonly string[];

interface Unit {
	/** In the file. */
	readonly path: Path;
	/** In the configuration, for people. */
	readonly key: string;
	readonly value: unknown;
	readonly state: 'counts' | 'held back' | 'unused';
}

/** One row per value, in the order in which files count. */
export function settingRows({ configuration, read }: LoadedConfiguration): SettingRow[] {
	const merged = { configuration, sections: mergeSections(read), rules: configuration.policy.flat() };
	const shownRules = new Set<PolicyRule>();
	const taken = new Set<string>();
	return read.flatMap((file) =>
		unitsOf(file, { ...merged, shownRules }).flatMap((unit): SettingRow[] => {
			const isTaken = taken.has(unit.key) && !joinedLists.has(unit.key);
			if (unit.state === 'unused' || (unit.state === 'counts' && isTaken)) return [];
			if (unit.state === 'counts') taken.add(unit.key);
			return [...leaves(unit.value, [])].map(({ path, value }) => rowOf(file, unit, path, value));
		}),
	);
}

function rowOf({ file, document }: ConfigFile, unit: Unit, below: Path, value: unknown): SettingRow {
	const path = [...unit.path, ...below];
	const held = unit.state === 'held back' ? HELD_BACK : '';
	return {
		key: [unit.key, ...below].join('.'),
		value: shown(path, value),
		source: `${file}:${document.lineOf(path)}${held}`,
	};
}

interface Merged {
	readonly configuration: Configuration;
	readonly sections: FileSections;
	/** Of all files. */
	readonly rules: readonly PolicyRule[];
	readonly shownRules: Set<PolicyRule>;
}

function unitsOf(file: ConfigFile, merged: Merged): Unit[] {
	return membersOf(file.document.value).flatMap(([section, value]): Unit[] => {
		if (!sectionNames.includes(section) && !renamed.has(section)) return []; // nobody reads it
		if (section === 'plugins') return membersOf(value).map((member) => pluginUnit(file, merged, member));
		if (section === 'policy') return membersOf(value).map((member) => ruleUnit(file, merged, member));
		if (!memberSections.has(section) || !isObject(value)) return [plainUnit(file, merged, [section], value)];
		return membersOf(value).flatMap(([name, inner]) => {
			const path = [section, name];
			if (section === 'mcpServers') return [serverUnit(file, merged, path, inner)];
			if (section !== 'tools' || !toolMembers.has(name)) return [plainUnit(file, merged, path, inner)];
			return membersOf(inner).map(([key, each]) => plainUnit(file, merged, [...path, key], each));
		});
	});
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
	const isHeld = !file.isTrusted && isObject(value) && value['action'] === 'allow';
	if (isHeld) return { path, key: path.join('.'), value, state: 'held back' };
	const line = file.document.lineOf(path);
	const rule = rules.find((each) => each.file === file.file && each.line === line && !shownRules.has(each));
	if (rule === undefined) return { path, key: path.join('.'), value, state: 'unused' };
	shownRules.add(rule);
	return { path, key: `policy.${rules.indexOf(rule)}`, value, state: 'counts' };
}

/** A value that the merge took over is the same one there. */
function plainUnit(file: ConfigFile, { sections }: Merged, path: Path, value: unknown): Unit {
	const name = path.join('.');
	const key = renamed.get(name)?.replace(/Address$/, 'Addr') ?? name;
	const inSections = (renamed.get(name) ?? name).split('.');
	const own = valueAt(file.sections, inSections);
	if (key === 'tools.roots' && !file.isTrusted) return outsideRoots(file, path, value);
	if (own === undefined) return { path, key, value, state: stateOf(file, false) };
	const counts = joinedLists.has(key) || own === valueAt(sections, inSections);
	return { path, key, value, state: counts ? 'counts' : 'unused' };
}

/** Of a file that is not trusted, folders outside of the project are held back. */
function outsideRoots({ file }: ConfigFile, path: Path, value: unknown): Unit {
	const folder = dirname(file);
	const isHeld = Array.isArray(value) && value.some((root) => !isWrittenInside(root, folder));
	return { path, key: path.join('.'), value, state: isHeld ? 'held back' : 'counts' };
}

/** What does not count of a trusted file is overridden, or has a problem. */
function stateOf({ isTrusted }: ConfigFile, counts: boolean): Unit['state'] {
	if (counts) return 'counts';
	return isTrusted ? 'unused' : 'held back';
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
	if (isObject(value) && path.length < DEPTH_LIMIT && Object.keys(value).length > 0)
		for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
	else yield { path, value };
}

function shown(path: Path, value: unknown): string {
	const mayBeSecret = path.slice(1, -1).some((key) => secretSections.has(key));
	const isReference = typeof value === 'string' && /^(?:Bearer )?\$\{[^}]*\}$/.test(value);
	const isPlain = typeof value === 'number' || typeof value === 'boolean';
	if (mayBeSecret && !isReference && !isPlain) return JSON.stringify(MASK);
	const safe = redact(JSON.stringify(value) ?? '');
	return safe.length > VALUE_CHARACTERS ? `${safe.slice(0, VALUE_CHARACTERS)}…` : safe;
}
