/* `${VAR}` and `${VAR:-default}` in the strings of a configuration. */
import { ownEntry } from '../wire/json.ts';

export interface Expansion {
	readonly text: string;
	/** Variables that are not set and have no default. */
	readonly unset: readonly string[];
	/** The variables that were used, with their values. */
	readonly used: readonly (readonly [name: string, value: string])[];
}

const reference = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Expand variables. As in a shell, `:-` also replaces a variable that is set but empty. */
export function expandVariables(text: string, environment: Readonly<NodeJS.ProcessEnv>): Expansion {
	const unset: string[] = [];
	const used: [string, string][] = [];
	const expanded = text.replace(reference, (_, name: string, fallback: string | undefined) => {
		const value = ownEntry(environment, name);
		if (value !== undefined) used.push([name, value]);
		if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
		if (value === undefined) unset.push(name);
		return value ?? '';
	});
	return { text: expanded, unset, used };
}
