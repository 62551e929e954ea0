/*
 * The configuration as merged, with the place that each value comes from.
 *
 * Values are those of the files as they were read, with references such as `${TOKEN}` as
 * they are written, so a value from the environment never leaves. Plain values of
 * environments, headers and other secrets are replaced.
 */
import type { AnyKeys } from '../../config/key.ts';
import { userFile } from '../../config/load.ts';
import { registryFile } from '../../config/plugin-registry.ts';
import { sections } from '../../config/sections/sections.ts';
import { defaultRunsAtOnce } from '../../tool/runs-at-once.ts';
import type { SettingRow, SettingsReply } from '../api/api-catalogue.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { SETTING_ROWS_LIMIT } from '../dashboard-limits.ts';
import { problemRows } from './attention.ts';
import { BLOCKED_MARK, settingRows } from './setting-rows.ts';

export function settingsView(deps: Pick<DashboardDeps, 'opened' | 'environment'>): SettingsReply {
	const loaded = deps.opened.loaded();
	const user = userFile(deps.environment);
	const registry = registryFile(deps.environment);
	const read = loaded.configuration.files;
	const files = [...new Set([...loaded.read.map(({ file }) => file), ...read, ...(user ? [user] : [])])];
	const rows = settingRows(loaded);
	return {
		files: files.map((path) => ({
			path,
			kind: path === user || path === registry ? 'user' : 'project',
			exists: read.includes(path),
		})),
		values: [...rows, ...defaultRows(rows)].slice(0, SETTING_ROWS_LIMIT),
		problems: problemRows(deps),
		notes: loaded.skipped,
	};
}

/** Settings that no file has. */
function defaultRows(rows: readonly SettingRow[]): SettingRow[] {
	const defaults = [...constants(sections, []), ['limits.toolsAtOnce', defaultRunsAtOnce()] as const];
	const set = new Set(rows.filter(({ source }) => !source.endsWith(BLOCKED_MARK)).map(({ key }) => key));
	return defaults
		.filter(([key]) => !set.has(key))
		.map(([key, value]) => ({ key, value: JSON.stringify(value), source: 'default' }));
}

/** The keys with a default, outside of entries. */
function constants(keys: AnyKeys, path: readonly string[]): (readonly [string, unknown])[] {
	return Object.entries(keys).flatMap(([name, { byDefault, members, isDivided }]) => {
		const inner = [...path, name];
		if (byDefault !== undefined) return [[inner.join('.'), byDefault] as const];
		return isDivided && members ? constants(members, inner) : [];
	});
}
