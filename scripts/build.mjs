/*
 * `npm run build`: compile src/ to dist/. With --install it installs what is missing first.
 *
 * The compiler checks the types and writes the declarations. The code itself is
 * bundled, a file for each entry point and one for each layer that they share:
 * loading a hundred small modules would take longer than everything else at start
 * (docs/decisions/0003).
 */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { install, root, tool } from './steps.mjs';

if (process.argv.includes('--install')) install();
rmSync(join(root, 'dist'), { recursive: true, force: true });
tool('types', 'tsc', ['-p', 'tsconfig.json', '--emitDeclarationOnly']);

const { bin, exports: subpaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { build } = await import('rolldown');
await build({
	cwd: root,
	input: entryPoints(),
	platform: 'node',
	preserveEntrySignatures: 'allow-extension',
	external: (id) => !id.startsWith('.') && !id.startsWith(root) && !id.startsWith('@bufbuild/protobuf'),
	output: {
		dir: 'dist',
		format: 'esm',
		entryFileNames: '[name].js',
		chunkFileNames: 'chunks/[name]-[hash].js',
		codeSplitting: { groups: startFiles() },
		minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
	},
	plugins: [
		{
			name: 'start',
			renderChunk: (code) => takeBuiltins(code),
			generateBundle: (_, bundle) => Object.values(bundle).forEach(inAscii),
		},
	],
	// Parts are loaded on demand also where another entry point has them at its start.
	checks: { ineffectiveDynamicImport: false },
	logLevel: 'warn',
});
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
const { buildPage } = await import('./build-page.mjs');
await buildPage();
// The launcher rebuilds when a source file is newer than this stamp.
writeFileSync(join(root, 'dist', '.built'), '');

/** The program, a file for each subpath of the package, one for each thread, and two for tests and measurements. */
function entryPoints() {
	const built = Object.values(subpaths).flatMap(({ default: file }) => file ?? []);
	const packaged = [...built, ...Object.values(bin)].map(sourceName);
	const threads = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('-thread.ts'))
		.map((file) => file.replaceAll(sep, '/').slice(0, -'.ts'.length));
	// Entry points by definition: tests run commands by the first and load the second, which are not published.
	const names = [...packaged, ...threads, 'cli/run-command', 'internals'];
	return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
}

/** The source file of a built one, below `src`, without its extension. */
function sourceName(file) {
	return file.replace(/^(?:\.\/)?dist\/|\.js$/g, '');
}

/**
 * Node's own modules are taken as objects. An `import` of one lists all it exports, and so loads
 * what nobody asked for, streams for `node:fs` and half of `node:crypto`: milliseconds of every start.
 */
function takeBuiltins(code) {
	return code.replace(
		/^import (?:\{([^}]*)\}|(?:\* as )?(\w+)) from "(node:[^"]+)";$/gm,
		(_line, names, whole, module) => {
			const target = whole ?? `{${names.replaceAll(' as ', ': ')}}`;
			return `const ${target} = process.getBuiltinModule("${module}");`;
		},
	);
}

/**
 * Other characters are in strings and patterns only. One above U+00FF, and V8 keeps and scans the whole
 * file with two bytes for each character.
 */
function inAscii(chunk) {
	const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
	chunk.code = chunk.code.replace(/[^\0-\x7F]/g, escaped);
}

/**
 * Modules that are loaded at every start of an awaited command are in few files, because a file more is half
 * a millisecond more: a file for each set of such commands that share it. All else is left to the bundler,
 * which keeps apart what is loaded on demand.
 */
function startFiles() {
	let loaders;
	const nameOf = (id, graph) => {
		loaders ??= modulesOfStarts(graph);
		return loaders.get(id)?.join('-') ?? null;
	};
	return [{ name: nameOf, debugName: 'start', includeDependenciesRecursively: false }];
}

/** Each module that is loaded with the program, an awaited command or the library, with the names of those. */
function modulesOfStarts(graph) {
	const [program] = importedLater(graph, join(root, `src/${sourceName(bin.mctl)}.ts`));
	const loaders = new Map();
	const add = (name, id) => {
		for (const loaded of staticImports(id, graph))
			loaders.set(loaded, [...(loaders.get(loaded) ?? []), name]);
	};
	const commands = importedLater(graph, ...staticImports(program, graph));
	const awaited = commands.filter((command) => isAwaited(command, graph));
	if (awaited.length === 0) throw new Error('scripts/build.mjs: no command has isAwaited');
	for (const command of awaited) add(basename(command, '.ts'), command);
	// A server that is written with the library loads what it needs of those files, not the files of a hub.
	add('library', join(root, `src/${sourceName(subpaths['./mcp'].default)}.ts`));
	// The two that await the command stay alone: what imports their file would wait for the end of itself.
	const isOfLibrary = (id) => loaders.get(id)?.includes('library') === true;
	for (const id of staticImports(program, graph))
		loaders.set(id, ['mctl', ...(isOfLibrary(id) ? ['library'] : [])]);
	loaders.delete(program);
	return loaders;
}

/** The modules that these import when they run. */
function importedLater(graph, ...ids) {
	const modules = ids.flatMap((id) => graph.getModuleInfo(id).dynamicallyImportedIds);
	return modules.filter((id) => !id.startsWith('node:'));
}

/** Whether the module is a command with `isAwaited`. */
function isAwaited(id, graph) {
	return /^\s*isAwaited: true,$/m.test(graph.getModuleInfo(id).code ?? '');
}

/** The module and all that it needs before it runs. */
function staticImports(id, graph, seen = new Set()) {
	const about = graph.getModuleInfo(id);
	if (seen.has(id) || about === null || about.isExternal) return seen;
	seen.add(id);
	for (const imported of about.importedIds) staticImports(imported, graph, seen);
	return seen;
}
