/* The configuration as one tool sees it: flat, dotted, and only the keys that it declares. */
import { isObject, type JsonObject, type JsonValue } from '../wire/json.ts';
import type { DiscoveredTool } from './tool.ts';

/** The configuration that a tool may see, and the required keys that are missing. */
export interface ToolSettings {
	readonly config: JsonObject;
	/** Required keys without a value. */
	readonly missing: readonly string[];
}

/** The keys of `config` that `tool` may see, which may be nested, dotted, or both. */
export function settingsOf(tool: DiscoveredTool, config: Readonly<Record<string, unknown>>): ToolSettings {
	const flat = flatten(config);
	const declared = [...(tool.requiredConfig ?? []), ...(tool.optionalConfig ?? [])];
	const chosen = declared.flatMap((key): [string, JsonValue][] => {
		const value = flat.get(key);
		return isSet(value) ? [[key, value]] : [];
	});
	const missing = (tool.requiredConfig ?? []).filter((key) => !isSet(flat.get(key)));
	return { config: Object.fromEntries(chosen), missing };
}

/** `{ a: { b: 1 } }` and `{ "a.b": 1 }` are the same. */
export function flatten(config: Readonly<Record<string, unknown>>): Map<string, JsonValue> {
	const flat = new Map<string, JsonValue>();
	const add = (prefix: string, object: Readonly<Record<string, unknown>>): void => {
		for (const [key, value] of Object.entries(object)) {
			if (isObject(value)) add(`${prefix}${key}.`, value);
			// A configuration is JSON.
			else if (value !== undefined) flat.set(prefix + key, value as JsonValue);
		}
	};
	add('', config);
	return flat;
}

/** An empty string is a value. */
function isSet(value: JsonValue | undefined): value is JsonValue {
	return value !== undefined && value !== null;
}

/** The hint about missing configuration. `blockedConfigFolder`: a project folder whose `tools.config` is blocked. */
export function missingConfigHint(keys: readonly string[], blockedConfigFolder: string | undefined): string {
	const set = `Set ${keys.join(', ')} under tools.config in orchestra.json`;
	if (blockedConfigFolder === undefined) return `${set}.`;
	return `The project is not trusted, so its tools.config is blocked: run "mctl trust" in ${blockedConfigFolder}. ${set} if it is not there.`;
}
