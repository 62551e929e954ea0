/*
 * One value of a configuration file, with its key and file.
 *
 * Each accessor returns the value in the requested type, or records a problem with
 * file, line, key, found and allowed value and returns undefined. So an invalid entry
 * is reported and skipped, and the others are used.
 */
import { dirname, resolve } from 'node:path';
import { nearest } from '../nearest.ts';
import { registerHeader, registerNamedSecret, registerVariable } from '../secrets/secret-name.ts';
import {
	hasReference,
	type SecretReference,
	type SecretStrings,
	type SecretText,
	splitReferences,
} from '../secrets/secret-text.ts';
import { isObject, ownEntry } from '../wire/json.ts';
import { expandVariables } from './expand.ts';
import type { JsonDocument } from './jsonc.ts';
import { type ConfigProblem, configProblem, describeValue, kindOf } from './problem.ts';

/** An object of strings: the plain ones, and those with secret references. */
export interface SecretMap {
	readonly plain: Record<string, string>;
	/** Undefined when there are none. */
	readonly secrets: SecretStrings | undefined;
}

/** The file of a field, and the list that collects its problems. */
export interface FieldSource {
	readonly file: string;
	readonly document: JsonDocument;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly problems: ConfigProblem[];
	/** Description of the environment, for messages. */
	readonly environmentName?: string | undefined;
	/** Collects the names of unset variables. */
	readonly unset?: Set<string> | undefined;
}

export class Field {
	readonly value: unknown;
	readonly #source: FieldSource;
	readonly #path: readonly string[];
	readonly #mayBeSecret: boolean;

	/** The top-level value of a file. */
	static of(source: FieldSource): Field {
		return new Field(source, source.document.value, [], false);
	}

	private constructor(source: FieldSource, value: unknown, path: readonly string[], mayBeSecret: boolean) {
		this.#source = source;
		this.#path = path;
		this.#mayBeSecret = mayBeSecret;
		this.value = value;
	}

	get isPresent(): boolean {
		return this.value !== undefined;
	}

	/** The 1-based line of the value, or of its nearest existing parent. */
	get line(): number {
		return this.#source.document.lineOf(this.#path);
	}

	/** The field under `key`; `isPresent` is false when there is none. What is below a secret one may be secret too. */
	at(key: string, mayBeSecret: boolean = this.#mayBeSecret): Field {
		const value = isObject(this.value) ? ownEntry(this.value, key) : undefined;
		return new Field(this.#source, value, [...this.#path, key], mayBeSecret);
	}

	/** Record a problem: this value is not one of the `allowed`. */
	report(allowed: string, found: string = this.#describe()): undefined {
		this.#report({ allowed, found });
	}

	#report(facts: Pick<ConfigProblem, 'allowed' | 'found' | 'unset'>): undefined {
		const { file, problems } = this.#source;
		problems.push(configProblem({ file, line: this.line, key: this.#path.join('.'), ...facts }));
	}

	/** The fields of an object; none when absent. */
	entries(): [string, Field][] {
		if (!this.isPresent) return [];
		if (isObject(this.value)) return Object.keys(this.value).map((key) => [key, this.at(key)]);
		this.report('an object');
		return [];
	}

	/** The fields of an array; none when absent. */
	items(): Field[] {
		if (!this.isPresent) return [];
		if (!Array.isArray(this.value)) return this.report('an array') ?? [];
		return this.value.map(
			(value, index) => new Field(this.#source, value, [...this.#path, String(index)], this.#mayBeSecret),
		);
	}

	/** A non-empty string with its variables expanded. */
	text(): string | undefined {
		const given = this.expect(isText, 'a non-empty string');
		return given === undefined ? undefined : this.#expanded(given);
	}

	/** A path, resolved against the folder of the file, or another one. */
	path(folder: string = dirname(this.#source.file)): string | undefined {
		const text = this.text();
		if (text === undefined) return undefined;
		const home = this.#source.environment['HOME'];
		const whole = home !== undefined && /^~(?=\/|$)/.test(text) ? home + text.slice(1) : text;
		return resolve(folder, whole);
	}

	/** The value, when it is a right one; any other is a problem. */
	expect<T>(isRight: (value: unknown) => value is T, allowed: string): T | undefined {
		if (isRight(this.value)) return this.value;
		return this.isPresent ? this.report(allowed) : undefined;
	}

	/** An array of strings. */
	strings(): string[] | undefined {
		if (!this.isPresent) return undefined;
		return this.items().flatMap((item) => item.#emptyOrText() ?? []);
	}

	/** An object of strings that may have secret references. */
	secretMap(): SecretMap {
		const plain: Record<string, string> = {};
		const secrets: Record<string, SecretText> = {};
		for (const [key, field] of this.entries()) {
			const secret = field.secretText();
			const text = secret === undefined ? field.#emptyOrText() : undefined;
			if (secret !== undefined) secrets[key] = secret;
			else if (text !== undefined) plain[key] = text;
		}
		return { plain, secrets: Object.keys(secrets).length === 0 ? undefined : secrets };
	}

	/** The value as a text with secret references; undefined when it has none. */
	secretText(): SecretText | undefined {
		if (typeof this.value !== 'string') return undefined;
		const parts = splitReferences(this.value);
		if (parts.every((part) => typeof part === 'string')) return undefined;
		const { file, document } = this.#source;
		const checked = parts.map((part) =>
			typeof part === 'string' ? this.#expanded(part) : this.#checked(part),
		);
		const place = { file, sourceLine: document.lineOf(this.#path), key: this.#path.join('.') };
		return { parts: checked.map((part) => part ?? ''), ...place };
	}

	/** Any JSON value, with variables expanded in every string. */
	json(): unknown {
		if (typeof this.value === 'string') return this.#expanded(this.value);
		if (Array.isArray(this.value)) return this.items().map((item) => item.json());
		if (!isObject(this.value)) return this.value;
		const members = this.entries().map(([key, field]) => [key, field.json()]);
		return Object.fromEntries(members.filter(([, value]) => value !== undefined));
	}

	#emptyOrText(): string | undefined {
		const { value } = this;
		if (typeof value === 'number' || typeof value === 'boolean') return String(value);
		return typeof value === 'string' ? this.#expanded(value) : this.report('a string');
	}

	/** Where secret references are allowed, the text is what stands between them. */
	#expanded(text: string): string | undefined {
		if (hasReference(text))
			return this.report(
				'a text without one; ${file:…}, ${cmd:…} and ${keychain:…} belong in env, headers or config',
				'a text with a secret reference',
			);
		const { text: expanded, unset, used } = expandVariables(text, this.#source.environment);
		const register = this.#mayBeSecret ? registerVariable : registerNamedSecret;
		for (const [name, value] of used) register(name, value);
		if (unset.length === 0) return this.#registered(expanded);
		const names = unset.map((name) => `\${${name}}`).join(', ');
		for (const name of unset) this.#source.unset?.add(name);
		const { environmentName } = this.#source;
		return this.#report({
			allowed: `a variable that is set, or a default as in \${${unset[0]}:-value}`,
			found: `${names}, not set${environmentName === undefined ? '' : ` in ${environmentName}`}`,
			unset,
		});
	}

	#checked(reference: SecretReference): SecretReference | undefined {
		const { argument } = reference;
		if (argument.trim() !== '' && !argument.includes('${')) return reference;
		const found = argument.includes('${') ? 'a reference with a variable inside' : 'an empty reference';
		return this.report('${file:path}, ${cmd:program args} or ${keychain:name}', found);
	}

	/** Registered for redaction when it may be secret. */
	#registered(text: string): string {
		const name = this.#path.at(-1) ?? '';
		if (!this.#mayBeSecret) return text;
		if (this.#path.at(-2) === 'headers') registerHeader(name, text);
		else registerNamedSecret(name, text);
		return text;
	}

	#describe(): string {
		return this.#mayBeSecret ? kindOf(this.value) : describeValue(this.value);
	}
}

export function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

/** Report keys that are probably mistyped ones of `names`; any other may belong to another program, as `foreign` do. */
export function reportMistyped(field: Field, names: readonly string[], foreign: readonly string[]): void {
	if (!isObject(field.value)) return;
	for (const { inner, meant } of unknownKeys(field, [...names, ...foreign], names)) {
		if (meant !== undefined && !field.at(meant).isPresent)
			inner.report(`${meant}, if that was meant; it is ignored as it is`, 'an unknown key');
	}
}

/** Report every unknown key. */
export function onlyKeys(field: Field, names: readonly string[]): void {
	const allowed = names.filter((name) => !name.startsWith('$')).join(', ');
	for (const { inner, meant } of unknownKeys(field, names, names))
		inner.report(allowed + (meant === undefined ? '' : `; did you mean ${meant}`), 'an unknown key');
}

/** The fields that are not known, each with the name that was probably meant. */
function unknownKeys(
	field: Field,
	known: readonly string[],
	names: readonly string[],
): { readonly inner: Field; readonly meant: string | undefined }[] {
	const unknown = field.entries().filter(([key]) => !known.includes(key));
	return unknown.map(([key, inner]) => ({ inner, meant: nearest(key, names)[0] }));
}
