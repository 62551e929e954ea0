/*
 * The configuration as merged, and the file that each value comes from.
 *
 * Values are those of the files, with references such as `${TOKEN}` as they are written,
 * so a value from the environment never leaves. Plain values of environments, headers
 * and other secrets are replaced. Of two files the first one that has a key counts, as it
 * does for the hub; an entry of a server or plugin counts as a whole.
 */
import { parseJsonc } from '../config/jsonc.ts';
import { userFile } from '../config/load.ts';
import { readRegularText } from '../files/regular-file.ts';
import { redact } from '../redact.ts';
import { MASK } from '../token-shapes.ts';
import { isObject } from '../wire/json.ts';
import type { SettingRow, SettingsFile, SettingsReply } from './api-offers.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { problemRows } from './state-view.ts';

/** Rows of a reply. */
const ROWS_LIMIT = 5000;
const DEPTH_LIMIT = 6;
/** Longest value. */
const VALUE_CHARACTERS = 500;
/** Sections whose entries count as a whole. */
const entrySections = new Set(['mcpServers', 'plugins', 'views', 'clients']);
/** Keys whose plain values may be secrets. */
const secretSections = new Set(['env', 'headers', 'oauth', 'config']);

export function settingsView(parts: Pick<DashboardParts, 'opened' | 'environment'>): SettingsReply {
	const { configuration, notes } = parts.opened.loaded();
	const user = userFile(parts.environment);
	const files = [...new Set([...configuration.files, ...(user === undefined ? [] : [user])])];
	const rows = new Map<string, SettingRow>();
	const taken = new Set<string>();
	for (const file of configuration.files) addRows(rows, taken, file);
	return {
		files: files.map((path) => fileRow(path, user, configuration.files)),
		values: [...rows.values()].slice(0, ROWS_LIMIT),
		problems: problemRows(parts),
		notes,
	};
}

function fileRow(path: string, user: string | undefined, read: readonly string[]): SettingsFile {
	return { path, kind: path === user ? 'user' : 'project', exists: read.includes(path) };
}

function addRows(rows: Map<string, SettingRow>, taken: Set<string>, file: string): void {
	const own = new Set<string>();
	for (const { path, value } of leaves(valueOf(file), [])) {
		const unit = path.slice(0, entrySections.has(path[0] ?? '') ? 2 : 1 + Number(path.length > 1)).join('.');
		if (taken.has(unit)) continue;
		own.add(unit);
		const key = path.join('.');
		if (!rows.has(key)) rows.set(key, { key, value: shown(path, value), source: file });
	}
	for (const unit of own) taken.add(unit);
}

/** Of a JSON file; another one, or one that cannot be read, has no rows: `problems` has the reason. */
function valueOf(file: string): unknown {
	try {
		return file.endsWith('.json') ? parseJsonc(readRegularText(file), file).value : undefined;
	} catch {
		return undefined;
	}
}

interface Leaf {
	readonly path: readonly string[];
	readonly value: unknown;
}

function* leaves(value: unknown, path: readonly string[]): Generator<Leaf> {
	const isDeep = path.length >= DEPTH_LIMIT;
	if (isObject(value) && !isDeep && Object.keys(value).length > 0) {
		for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
	} else if (path.length > 0) yield { path, value };
}

function shown(path: readonly string[], value: unknown): string {
	const text = JSON.stringify(value) ?? '';
	const isSecret = path.slice(1, -1).some((key) => secretSections.has(key)) && typeof value === 'string';
	if (isSecret && !/^(?:\$\{[^}]*\}|Bearer \$\{[^}]*\})$/.test(value)) return JSON.stringify(MASK);
	const safe = redact(text);
	return safe.length > VALUE_CHARACTERS ? `${safe.slice(0, VALUE_CHARACTERS)}…` : safe;
}
