/*
 * Values that VS Code asks for: `inputs` at the top of its file, `${input:id}` in an entry.
 *
 * An import on a terminal asks for them in its place. An input that a command of the editor
 * computes cannot be asked for, and a secret goes only where a reference to it can be
 * written (`env`, `headers`) or where the user can name a variable (`args`, `url`).
 */
import { isObject } from '../../wire/json.ts';
import type { NormalEntry } from './normal-entry.ts';
import { mapStrings } from './references.ts';

export interface ClientInput {
	readonly id: string;
	readonly description: string | undefined;
	/** Typed without being shown. */
	readonly isSecret: boolean;
	/** Where it is not private: a secret there must be a variable of the environment. */
	readonly exposedIn: 'command line' | 'address' | undefined;
	readonly default: string | undefined;
	/** The possible values; empty when any text is. */
	readonly choices: readonly string[];
}

const inputReference = /\$\{input:([^}]*)\}/g;

/** The inputs of an entry, by `inputs` of its file. Undefined when it has none, or one that a user cannot type here. */
export function inputsOf(entry: NormalEntry, definitions: unknown): ClientInput[] | undefined {
	const list: unknown[] = Array.isArray(definitions) ? definitions : [];
	const { env: _env, headers: _headers, args: _args, url: _url, ...rest } = entry;
	const inputs = [...idsIn(entry)].map((id): ClientInput | undefined => {
		const found = list.find((each) => isObject(each) && each['id'] === id);
		if (!isObject(found) || (found['type'] !== 'promptString' && found['type'] !== 'pickString'))
			return undefined;
		const { description, password, default: preset, options } = found;
		const isSecret = password === true;
		if (isSecret && idsIn(rest).has(id)) return undefined;
		return {
			id,
			description: typeof description === 'string' ? description : undefined,
			isSecret,
			exposedIn: idsIn(entry['args']).has(id)
				? 'command line'
				: idsIn(entry['url']).has(id)
					? 'address'
					: undefined,
			default: typeof preset === 'string' && preset !== '' && !isSecret ? preset : undefined,
			choices: Array.isArray(options) ? options.flatMap(choiceOf) : [],
		};
	});
	const known = inputs.filter((each) => each !== undefined);
	return known.length > 0 && known.length === inputs.length ? known : undefined;
}

/** The entry with the values of its inputs. */
export function withInputs(entry: NormalEntry, values: ReadonlyMap<string, string>): NormalEntry {
	const fill = (text: string): string =>
		text.replace(inputReference, (whole, id: string) => values.get(id) ?? whole);
	// The shape stays.
	return mapStrings(entry, fill) as NormalEntry;
}

function idsIn(value: unknown): Set<string> {
	const ids = new Set<string>();
	mapStrings(value, (text) => {
		for (const [, id = ''] of text.matchAll(inputReference)) ids.add(id);
		return text;
	});
	return ids;
}

/** A text, or an object with a label and a value. */
function choiceOf(option: unknown): string[] {
	const value = isObject(option) ? option['value'] : option;
	return typeof value === 'string' ? [value] : [];
}
