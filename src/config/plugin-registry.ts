/*
 * Plugins that the `install` command of another Orchestra put into the user's home:
 * `~/.orchestra/plugins/registry.json`, a map from repository to plugin. They apply to
 * every project, so they run in the project folder and have the lowest precedence.
 */
import { dirname, join } from 'node:path';
import { absoluteFolder } from '../files/state-folder.ts';
import { isObject, type JsonValue } from '../wire/json.ts';
import type { PluginEntry } from './configuration.ts';
import { Field, type FieldSource } from './field.ts';
import { skipInvalid } from './read-entry.ts';
import { plugin } from './sections/plugin-entry.ts';
import type { FileSections } from './sections/sections.ts';

/** The path of the registry; undefined without a home folder. */
export function registryFile(environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
	const home = absoluteFolder(environment['HOME'] ?? environment['USERPROFILE']);
	return home ? join(home, '.orchestra', 'plugins', 'registry.json') : undefined;
}

/** The plugins of the registry; `rest` fills the other sections. */
export function readPluginRegistry(source: FieldSource, rest: FileSections, root: string): FileSections {
	const { document } = source;
	const value = withoutNulls(document.value);
	const found = Field.of({ ...source, document: { ...document, value } })
		.at('plugins')
		.entries()
		.flatMap(([, field]) =>
			skipInvalid(source, () => {
				const entry = isObject(field.value)
					? plugin.read(field, { source, root: dirname(source.file) })
					: undefined;
				return entry && { entry: { ...entry, cwd: root }, rank: rankOf(field, entry) };
			}),
		);
	// Same order as there: dependencies first, then by id.
	found.sort((a, b) => a.rank - b.rank || (a.entry.id < b.entry.id ? -1 : 1));
	return { ...rest, plugins: found.map(({ entry }) => entry) };
}

/** Go writes an empty list as null. */
function withoutNulls(value: JsonValue): JsonValue {
	if (!isObject(value)) return value;
	const entries = Object.entries(value).filter(([, inner]) => inner !== null);
	return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

function rankOf(field: Field, { providesAi }: PluginEntry): number {
	if (providesAi.length > 0) return 0;
	const needs = [field.at('needs_storage'), field.at('needs_tools')];
	return needs.every((names) => (names.strings() ?? []).length === 0) ? 1 : 2;
}
