/*
 * The layer rule: a folder imports only from folders to its left.
 *
 * One ordered list is the whole architecture, so the check reads that list
 * instead of repeating it as a dozen lint overrides. `pure` layers must run
 * without Node, so they may not import `node:` modules either.
 *
 * The limit rule: a constant that bounds something (bytes, counts, depths, deadlines)
 * stands in the `*-limits.ts` of its layer, where a reader finds all of them.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const order = [
	'core-limits',
	'errors',
	'printable',
	'token-shapes',
	'redact',
	'named-secrets',
	'log',
	'sequence-diff',
	'edit-distance',
	'nearest',
	'files',
	'telemetry',
	'spin',
	'wire',
	'schema',
	'protocol',
	'rpc',
	'process',
	'secrets',
	'transport',
	'oauth',
	'link',
	'config',
	'registry',
	'tool',
	'plugin',
	'search',
	'library',
	'mcp',
	'trust',
	'record',
	'hub',
	'fabric',
	'bridge',
	'http',
	'dashboard',
	'cli',
];
const pure = new Set([
	'core-limits',
	'errors',
	'printable',
	'token-shapes',
	'redact',
	'named-secrets',
	'log',
	'sequence-diff',
	'edit-distance',
	'nearest',
	'telemetry',
	'wire',
	'schema',
	'rpc',
	'protocol',
	'search',
]);
/** What is exported to others, from any layer. */
const roots = new Set(['index', 'internals']);

/** The name of a constant that bounds something, and a number as its value. */
const bound =
	/^(?:export )?const ((?:MAX|MOST|LONGEST|LARGEST)_\w+|DEPTH|\w+_(?:BYTES|MS|DEPTH|LEVELS|LIMIT|CHARACTERS)|\w+_LIMIT_\w+)(?:: number)? = [-\d(A-Z][-\w ().*+/]*;$/gm;
/** Sizes that a format or a unit has: nothing else would work. */
const facts =
	/^(?:(?:\w+_)?(?:ID|KEY|MAC|TIME|SERIAL|TOKEN|PRINCIPAL|HEADER|FINGERPRINT|MARK|HASH|SCALE|PROCESS|SECRET)_(?:BYTES|CHARACTERS)|(?:SECOND|MINUTE|HOUR|DAY)_MS|(?:OUTER|EXACT|ENVELOPE)_LEVELS|(?:PREFIX|LABEL)_CHARACTERS|RECURSION_LIMIT|LARGEST_PORT)$/;
/** The tables: that of a layer, and what the keys of a configuration are when they are absent. */
const table = /(?:-limits|^config\/defaults)\.ts$/;
const source = resolve(import.meta.dirname, '../src');

const problems = [...filesBelow(source)].flatMap((file) => [...checkFile(file), ...checkLimits(file)]);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`layers: ${order.join(' → ')} hold`);

function checkFile(file) {
	const layer = layerOf(file);
	const found = [];
	for (const target of importsOf(file)) {
		if (pure.has(layer) && target.startsWith('node:')) {
			found.push(`${relative(source, file)} imports ${target}: ${layer}/ is pure and must run without Node`);
		}
		if (!target.startsWith('.') || roots.has(layer)) continue;
		const other = layerOf(resolve(dirname(file), target));
		if (order.indexOf(other) > order.indexOf(layer)) {
			found.push(`${relative(source, file)} imports ${target}: ${layer}/ may not reach up to ${other}/`);
		}
	}
	return found;
}

function checkLimits(file) {
	const path = relative(source, file).replaceAll(sep, '/');
	if (table.test(path)) return [];
	return [...readFileSync(file, 'utf8').matchAll(bound)]
		.filter(([, name]) => !facts.test(name))
		.map(
			([, name]) => `${path} declares ${name}: what bounds something stands in the *-limits.ts of its layer`,
		);
}

function layerOf(file) {
	const layer = relative(source, file)
		.split(sep)[0]
		.replace(/\.[jt]sx?$/, '');
	if (!roots.has(layer) && !order.includes(layer))
		throw new Error(`src/${layer} is not in the list of layers`);
	return layer;
}

function importsOf(file) {
	const text = readFileSync(file, 'utf8');
	return [...text.matchAll(/(?:from|import\(|import)\s*['"]([^'"]+)['"]/g)].map((match) => match[1]);
}

function* filesBelow(folder) {
	for (const name of readdirSync(folder)) {
		const path = join(folder, name);
		if (statSync(path).isDirectory()) yield* filesBelow(path);
		else if (/\.tsx?$/.test(path)) yield path;
	}
}
