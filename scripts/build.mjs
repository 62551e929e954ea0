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
	const { bin, exports: subpaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const built = Object.values(subpaths).flatMap(({ default: file }) => file ?? []);
	const packaged = [...built, ...Object.values(bin)].map((file) =>
		file.replace(/^(?:\.\/)?dist\/|\.js$/g, ''),
	);
	const threads = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('-thread.ts'))
		.map((file) => file.replaceAll(sep, '/').slice(0, -'.ts'.length));
	const names = [...packaged, ...threads, 'cli/run-command', 'internals'];
	return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
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
 * What is loaded at every start of these commands is in few files, because a file more is half a
 * millisecond more: a file for each set of them that share it. All else is left to the bundler,
 * which keeps apart what is loaded on demand.
 */
function startFiles() {
	const starts = ['serve', 'bridge', 'hub-run'];
	let loaders;
	const nameOf = (id, graph) => {
		loaders ??= modulesOfStarts(starts, graph);
		return loaders.get(id)?.join('-') ?? null;
	};
	return [{ name: nameOf, debugName: 'start', includeDependenciesRecursively: false }];
}

/** Each module that is loaded with the program, one of its commands or the library, with the names of those. */
function modulesOfStarts(starts, graph) {
	const program = join(root, 'src/cli/mctl.ts');
	const commands = [...staticImports(program, graph)].flatMap(
		(id) => graph.getModuleInfo(id).dynamicallyImportedIds,
	);
	const loaders = new Map();
	const add = (name, id) => {
		for (const loaded of staticImports(id, graph))
			loaders.set(loaded, [...(loaders.get(loaded) ?? []), name]);
	};
	for (const name of starts) {
		const command = commands.find((id) => basename(id, '.ts') === name);
		if (command === undefined) throw new Error(`scripts/build.mjs: there is no command ${name}`);
		add(name, command);
	}
	// A server that is written with the library loads what it needs of those files, not the files of a hub.
	add('library', join(root, 'src/mcp/index.ts'));
	// The two that await the command stay alone: what imports their file would wait for the end of itself.
	const isOfLibrary = (id) => loaders.get(id)?.includes('library') === true;
	for (const id of staticImports(program, graph))
		loaders.set(id, ['mctl', ...(isOfLibrary(id) ? ['library'] : [])]);
	loaders.delete(program);
	return loaders;
}

/** The module and all that it needs before it runs. */
function staticImports(id, graph, seen = new Set()) {
	const about = graph.getModuleInfo(id);
	if (seen.has(id) || about === null || about.isExternal) return seen;
	seen.add(id);
	for (const imported of about.importedIds) staticImports(imported, graph, seen);
	return seen;
}
