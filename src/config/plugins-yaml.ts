/*
 * Read the `plugins.yaml` of an existing Orchestra unchanged.
 *
 * There every value except `enabled` and `disabled`, and those of `sandbox` and `limits`, is a string, so the source text is used:
 * `version: 1.10` is "1.10". A key without a value, or with an empty string, counts as
 * absent, except in `env` and `config`, where empty is a value. The parser takes tens
 * of milliseconds to load, so it is loaded only when such a file exists.
 */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type * as Yaml from 'yaml';
import { NESTING_DEPTH } from '../core-limits.ts';
import { messageOf, OrchestraError } from '../errors.ts';
import { boundedValue, composeBoundedYaml, type YamlDocument } from '../files/bounded-yaml.ts';
import { isObject, type JsonValue } from '../wire/json.ts';
import type { PluginEntry } from './configuration.ts';
import { Field, type FieldSource, onlyKeys } from './field.ts';
import { type JsonDocument, parseJsonc } from './jsonc.ts';
import { address } from './key.ts';
import { readEntry } from './read-entry.ts';
import { plugin, pluginKeys } from './sections/plugin-entry.ts';
import type { FileSections } from './sections/sections.ts';

/** The keys of the file beside its plugins, and where they are in a configuration. */
export const yamlKeys: Readonly<Record<string, string>> = {
	listen_addr: 'hub.listenAddr',
	tcp_addr: 'hub.tcpAddr',
	certs_dir: 'hub.certsDir',
};

/** True for a YAML file name. */
export function isPluginsYaml(file: string): boolean {
	return /\.ya?ml$/i.test(basename(file));
}

/** Parse a configuration file by its name. Throws `bad_input` naming file, line, what was found and what was expected. */
export function parseConfigText(text: string, file: string): JsonDocument {
	return isPluginsYaml(file) ? parsePluginsYaml(text, file) : parseJsonc(text, file);
}

function parsePluginsYaml(text: string, file: string): JsonDocument {
	const { yaml, document, lines } = composed(text, file);
	yaml.visit(document, { Scalar: (_, node) => asWritten(node) });
	return {
		value: plainValue(document, file),
		lineOf: (path) => lines.linePos(offsetOf(yaml, document, path)).line || 1,
	};
}

/** The sections of the file; `rest` fills those that it cannot have. */
export function readPluginsYaml(source: FieldSource, rest: FileSections): FileSections {
	const top = Field.of(source);
	const place = { source, root: dirname(source.file) };
	onlyKeys(top, [...Object.keys(yamlKeys), 'plugins']);
	const hub = {
		listenAddr: address.read(top.at('listen_addr'), place),
		tcpAddr: address.read(top.at('tcp_addr'), place),
		certsDir: top.at('certs_dir').path(),
	};
	const plugins = top
		.at('plugins')
		.items()
		.flatMap((field) => {
			// Reported, but the plugin stays: a later Orchestra may know the key.
			onlyKeys(field, Object.keys(pluginKeys));
			return readEntry(source, { section: 'plugins', field }, () =>
				isObject(field.value) ? resolveBinary(plugin.read(field, place)) : undefined,
			);
		});
	return { ...rest, hub: { ...rest.hub, ...hub }, plugins };
}

/** Look for the program next to the file first, as other Orchestras do; else it is looked up on PATH. */
function resolveBinary(plugin: PluginEntry | undefined): PluginEntry | undefined {
	if (plugin === undefined || plugin.binary.includes('/')) return plugin;
	const place = join(dirname(plugin.file), plugin.binary);
	const isFile = statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
	return isFile ? { ...plugin, binary: place } : plugin;
}

function composed(text: string, file: string): YamlDocument {
	try {
		return composeBoundedYaml(text, { merge: true });
	} catch (error) {
		const { message, data } = OrchestraError.from(error);
		throw syntaxError(file, Number(data['line'] ?? 1), message);
	}
}

function asWritten(node: Yaml.Scalar): void {
	if (typeof node.value === 'number' || typeof node.value === 'boolean') node.value = node.source ?? '';
}

function plainValue(document: Yaml.Document, file: string): JsonValue {
	try {
		return withoutAbsent(boundedValue(document) ?? {}, []);
	} catch (error) {
		throw syntaxError(file, 1, messageOf(error));
	}
}

function withoutAbsent(value: unknown, path: readonly string[]): JsonValue {
	if (path.length > NESTING_DEPTH) throw new RangeError(`nested deeper than ${NESTING_DEPTH} levels`);
	if (Array.isArray(value)) return value.map((item) => withoutAbsent(item ?? '', [...path, '']));
	if (!isObject(value)) return typeof value === 'string' ? value : '';
	const isStringMap = path.at(-1) === 'env' || path.at(-1) === 'config';
	const entries = Object.entries(value).filter(([, inner]) => isStringMap || (inner ?? '') !== '');
	return Object.fromEntries(
		entries.map(([key, inner]) => {
			const plain = withoutAbsent(inner, [...path, key]);
			return [key, isStringMap ? plain : typedValue(plain, key, path.at(-1))];
		}),
	);
}

/** Flags and numbers, where a plugin has them. */
function typedValue(value: JsonValue, key: string, parent: string | undefined): JsonValue {
	if (parent === 'limits' && typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
	const isFlag =
		['enabled', 'disabled', 'sandbox'].includes(key) || (parent === 'sandbox' && key === 'network');
	return isFlag ? flagOf(value) : value;
}

function flagOf(value: JsonValue): JsonValue {
	if (typeof value !== 'string') return value;
	if (/^(?:true|yes|on|y)$/i.test(value)) return true;
	return /^(?:false|no|off|n)$/i.test(value) ? false : value;
}

/** The offset of the key at `path`, or of its nearest existing parent. */
function offsetOf(yaml: typeof Yaml, document: Yaml.Document, path: readonly string[]): number {
	let node: unknown = document.contents;
	let offset = 0;
	for (const name of path) {
		const found = stepInto(yaml, yaml.isAlias(node) ? node.resolve(document) : node, name);
		if (!found) break;
		if (yaml.isNode(found.place)) offset = found.place.range?.[0] ?? offset;
		node = found.value;
	}
	return offset;
}

function stepInto(
	yaml: typeof Yaml,
	node: unknown,
	name: string,
): { place: unknown; value: unknown } | undefined {
	if (yaml.isSeq(node)) {
		const item = node.items[Number(name)];
		return item === undefined ? undefined : { place: item, value: item };
	}
	if (!yaml.isMap(node)) return undefined;
	const pair = node.items.find(({ key }) => yaml.isScalar(key) && key.value === name);
	return pair && { place: pair.key, value: pair.value };
}

function syntaxError(file: string, line: number, message: string): OrchestraError {
	const [sentence = ''] = message.split('\n');
	const found = sentence.replace(/ at line \d+, column \d+:?$/, '');
	return new OrchestraError('bad_input', `${file}:${line}: the file is not valid YAML: ${found}`, {
		hint: `Correct line ${line} of ${file}.`,
		data: { file, line, found, allowed: 'valid YAML' },
	});
}
