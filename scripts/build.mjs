/*
 * `npm run build`: compile src/ to dist/. With --install it installs what is missing first.
 *
 * The compiler checks the types and writes the declarations. The code itself is
 * bundled, a file for each entry point and one for each layer that they share:
 * loading a hundred small modules would take longer than everything else at start
 * (docs/decisions/0003).
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, tool } from './steps.mjs';

if (process.argv.includes('--install')) install();
rmSync(join(root, 'dist'), { recursive: true, force: true });
tool('types', 'tsc', ['-p', 'tsconfig.json', '--emitDeclarationOnly']);

const { build } = await import('rolldown');
await build({
	cwd: root,
	input: entryPoints(),
	platform: 'node',
	external: (id) => !id.startsWith('.') && !id.startsWith(root) && !id.startsWith('@bufbuild/protobuf'),
	output: {
		dir: 'dist',
		format: 'esm',
		entryFileNames: '[name].js',
		chunkFileNames: 'chunks/[name]-[hash].js',
		codeSplitting: { groups: sharedLayers() },
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

/** The programs, and a file for each subpath of the package. */
function entryPoints() {
	const { exports: subpaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const built = Object.values(subpaths).flatMap(({ default: file }) => file ?? []);
	const subpathNames = built.map((file) => file.slice('./dist/'.length, -'.js'.length));
	const names = ['cli/main', 'cli/run-command', 'internals', ...subpathNames];
	return {
		...Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
		'hub/look-thread': 'src/hub/results/look/look-thread.ts',
	};
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
 * What every server needs at its start is one file, and so is what `mctl serve` needs for its first
 * list: a file more is half a millisecond more. A group takes the static imports of its files too,
 * unless a group before it has them, so that what several starts share comes first. Layers of which
 * parts are loaded only when they are needed (plugin, tool, library) are left to the bundler, which
 * keeps such parts apart.
 */
function sharedLayers() {
	const groups = {
		core: 'errors|printable|log|spin|files/(package-|private-path|regular-file|state-)|wire/|rpc/|transport/(?!child|client|connect|http/)|process/diagnosis|config/project-file|edit-distance',
		cli: 'cli/(asked-command|command|commands|exit|help|nearest|parse-flags|run-command).ts|cli/terminal/output',
		mcp: 'mcp/(define|server)/|mcp/client/phase-error|protocol/',
		config:
			'config/(load|library-folders).ts|files/(folder-lock|replace-file|sha256|watch-files)|process/process-stat.ts|process/guard/mark.ts|hub/(catalogue/names|project-trust)|telemetry/is-exporting|cli/chosen-view',
		tool: 'tool/(discover|mcp-result|missing-program|run-limits|runs-at-once).ts',
		guard: 'process/guard/guard.ts',
		run: 'tool/run.ts|process/(child|spawn/helper-spawner).ts|secrets/resolve-secret',
		hub: 'hub/(open-hub|journal/serve-journal|sessions/serve-session).ts|cli/hub-client/fabric-openers',
		link: 'link/(?!quic/|tls/tls-server|certificates/(x509|der|inspect))|plugin/(tunnel|features|protobuf-fields|registration)|cli/hub-client/hub-location|hub/shared/(hub-folder|process-identity|start-hub)',
	};
	return Object.entries(groups).map(([name, paths]) => ({
		name,
		test: new RegExp(`src/(${paths})`.replaceAll('/', String.raw`[\\/]`)),
	}));
}
