/*
 * The manifest of a tool: what it is called, what it takes, how it starts.
 *
 * One table holds every rule, so that the check, the error messages and the docs
 * cannot drift apart. The version is checked first: a manifest of another version
 * is not measured by the rules of this one. Unknown fields are ignored.
 */
import { isAbsolute, normalize } from 'node:path';
import type { JsonDocument } from '../config/jsonc.ts';
import { type ConfigProblem, configProblem, describeValue } from '../config/problem.ts';
import { nearest } from '../nearest.ts';
import { isObject, type JsonObject } from '../wire/json.ts';

export const runtimes = ['node', 'python', 'dotnet', 'powershell'] as const;
/** A runtime that starts an `entry` file. */
export type Runtime = (typeof runtimes)[number];

/** A manifest of Tool Protocol v1, checked. */
export interface Manifest {
	readonly manifestVersion: 1;
	readonly id: string;
	readonly version: string;
	readonly name: string;
	readonly description: string;
	readonly runtime?: Runtime;
	/** The program, relative to the folder and inside it. */
	readonly entry?: string;
	/** Any program, instead of `runtime` and `entry`. */
	readonly command?: readonly string[];
	readonly requiredConfig?: readonly string[];
	readonly optionalConfig?: readonly string[];
	readonly timeoutMs?: number;
	readonly tags?: readonly string[];
	/** JSON Schema 2020-12. */
	readonly inputSchema?: JsonObject;
	readonly outputSchema?: JsonObject;
	/** MCP's tool annotations. */
	readonly annotations?: JsonObject;
	/** Names of variables that are passed on. */
	readonly env?: readonly string[];
}

interface Rule {
	readonly holds: (value: unknown) => boolean;
	readonly allowed: string;
}

const ID_CHARACTERS = 64;
const text: Rule = { holds: isText, allowed: 'a non-empty string' };
const strings: Rule = { holds: isStrings, allowed: 'an array of strings' };
const object: Rule = { holds: isObject, allowed: 'an object' };
const schema: Rule = { holds: isObjectSchema, allowed: 'a JSON Schema object of "type": "object"' };

const required: Readonly<Record<string, Rule>> = {
	id: { holds: isToolId, allowed: 'lower-case words and digits joined by -, at most 64 characters' },
	version: text,
	name: text,
	description: text,
};

const optional: Readonly<Record<string, Rule>> = {
	runtime: {
		holds: (value) => runtimes.some((name) => name === value),
		allowed: `${runtimes.join(', ')}; for any other program write "command": ["ruby", "main.rb"] instead of runtime and entry`,
	},
	entry: { holds: isPathInside, allowed: "a relative path inside the tool's folder" },
	command: {
		holds: (value) => isStrings(value) && value.length > 0,
		allowed: 'an array with the program and its arguments',
	},
	requiredConfig: strings,
	optionalConfig: strings,
	timeoutMs: {
		holds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
		allowed: 'a whole number of milliseconds above 0',
	},
	tags: strings,
	inputSchema: schema,
	outputSchema: schema,
	annotations: object,
	env: strings,
};

/** Check a parsed manifest. Either it is one, or there is at least one problem. */
export function readManifest(
	document: JsonDocument,
	file: string,
): { manifest: Manifest } | { problems: ConfigProblem[] } {
	const { value } = document;
	const report = (key: string, allowed: string, found: string): ConfigProblem =>
		configProblem({ file, line: document.lineOf(key === '' ? [] : [key]), key, found, allowed });
	if (!isObject(value)) return { problems: [report('', 'a JSON object', describeValue(value))] };
	if (value['manifestVersion'] !== 1) {
		const allowed = '1 (2 is reserved for two-way streaming)';
		return { problems: [report('manifestVersion', allowed, describeValue(value['manifestVersion']))] };
	}
	const problems = [...brokenRules(value)].map(([key, rule]) =>
		report(key, rule.allowed, foundOf(value, key)),
	);
	if (problems.length === 0) problems.push(...startProblems(value, report));
	// Every rule holds, so it has the shape of a manifest.
	return problems.length > 0 ? { problems } : { manifest: value as unknown as Manifest };
}

/** Keys that are not of a manifest, each with the key that was probably meant. */
export function mistypedKeys(manifest: object): { readonly key: string; readonly meant: string }[] {
	const known = ['manifestVersion', ...Object.keys(required), ...Object.keys(optional)];
	return Object.keys(manifest)
		.filter((key) => !known.includes(key))
		.flatMap((key) => {
			const [meant] = nearest(
				key,
				known.filter((name) => !Object.hasOwn(manifest, name)),
			);
			return meant === undefined ? [] : [{ key, meant }];
		});
}

/** A key that is missing may be there under a mistyped name. */
function foundOf(value: Record<string, unknown>, key: string): string {
	const mistyped = value[key] === undefined && mistypedKeys(value).find(({ meant }) => meant === key);
	return describeValue(value[key]) + (mistyped ? `, but there is "${mistyped.key}"` : '');
}

function* brokenRules(value: Record<string, unknown>): Generator<[string, Rule]> {
	for (const [key, rule] of Object.entries(required)) if (!rule.holds(value[key])) yield [key, rule];
	for (const [key, rule] of Object.entries(optional)) {
		if (value[key] !== undefined && !rule.holds(value[key])) yield [key, rule];
	}
}

/** A tool starts by `command`, or by `runtime` with `entry`. */
function startProblems(
	{ command, runtime, entry }: Record<string, unknown>,
	report: (key: string, allowed: string, found: string) => ConfigProblem,
): ConfigProblem[] {
	if (command !== undefined) {
		return runtime === undefined
			? []
			: [report('command', 'either command, or runtime with entry', 'set, and so is runtime')];
	}
	if (runtime === undefined) {
		return [report('runtime', `${runtimes.join(', ')} with an entry, or a command array instead`, 'missing')];
	}
	return entry === undefined ? [report('entry', "a relative path inside the tool's folder", 'missing')] : [];
}

/** True for a name that a tool may have. */
export function isToolId(value: unknown): boolean {
	return typeof value === 'string' && value.length <= ID_CHARACTERS && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value);
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

function isStrings(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(isText);
}

function isObjectSchema(value: unknown): boolean {
	return isObject(value) && (value['type'] === undefined || value['type'] === 'object');
}

function isPathInside(value: unknown): boolean {
	if (!isText(value) || isAbsolute(value) || /^[A-Za-z]:|\\/.test(value)) return false;
	return !normalize(value).split('/').includes('..');
}
