/*
 * The variables of other clients, in our syntax `${VAR}`.
 *
 * Each client has its own: `${env:VAR}`, `{env:VAR}`, `$VAR`, `${{ secrets.VAR }}`,
 * `${workspaceFolder}`. What only that client can resolve (`${command:x}`, `${input:x}`) is reported.
 */
import { isObject } from '../../wire/json.ts';
import type { ClientId, ClientScope } from './client-table.ts';

/** The entry in our syntax, and the references that cannot be written in it. */
export interface TranslatedEntry {
	readonly entry: unknown;
	readonly foreign: readonly string[];
}

export function translateReferences(entry: unknown, client: ClientId, scope: ClientScope): TranslatedEntry {
	const foreign = new Set<string>();
	const translated = mapStrings(entry, (text) => {
		const result = translateText(text, client, scope);
		for (const [found] of result.matchAll(foreignReference)) foreign.add(found);
		return result;
	});
	return { entry: translated, foreign: [...foreign] };
}

const foreignReference =
	/\$\{(?:input|command|config|workspaceFolder|workspaceRoot)[^}]*\}|\{file:[^}]*\}|\$\{\{[^}]*\}\}/g;

function translateText(text: string, client: ClientId, scope: ClientScope): string {
	let result = text
		.replace(/\$\{env:([A-Za-z_]\w*)\}/g, '${$1}')
		.replace(/\$\{userHome\}/g, '${HOME}')
		.replace(/\$\{\/\}/g, '/')
		.replace(/\$\{pathSeparator\}/g, '/');
	// The servers of a project run in its folder.
	if (scope === 'project') result = result.replace(/\$\{workspaceFolder\}/g, '.');
	if (client === 'opencode') result = result.replace(/\{env:([A-Za-z_]\w*)\}/g, '${$1}');
	if (client === 'continue')
		result = result.replace(/\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_]\w*)\s*\}\}/g, '${$1}');
	if (client === 'gemini') result = result.replace(/\$([A-Za-z_]\w*)/g, '${$1}');
	return result;
}

/** A value with each of its strings replaced; keys stay. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
	if (typeof value === 'string') return map(value);
	if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, map)]));
}
