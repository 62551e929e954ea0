/*
 * `npm run build`: compile src/ to dist/. With --install it installs what is missing first.
 *
 * The compiler checks the types and writes the declarations. The code itself is
 * bundled into one file for each entry point and a few that they share: loading a
 * hundred small modules would take longer than everything else at start
 * (docs/decisions/0003).
 */
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, tool } from './steps.mjs';

if (process.argv.includes('--install')) install();
rmSync(join(root, 'dist'), { recursive: true, force: true });
tool('types', 'tsc', ['-p', 'tsconfig.json', '--emitDeclarationOnly']);

const { build } = await import('esbuild');
const layers = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const entries = layers.map(({ name }) => join('src', name, 'index.ts'));
await build({
	absWorkingDir: root,
	entryPoints: ['src/index.ts', 'src/cli/main.ts', 'src/tool/sdk.ts', ...entries.filter(exists)],
	outbase: 'src',
	outdir: 'dist',
	// As deep as the entry points, so that paths from a module to the package stay right.
	chunkNames: 'chunks/[name]-[hash]',
	bundle: true,
	splitting: true,
	format: 'esm',
	platform: 'node',
	target: 'node20.19',
	packages: 'external',
	logLevel: 'warning',
});
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
// The launcher rebuilds when a source file is newer than this stamp.
writeFileSync(join(root, 'dist', '.built'), '');

function exists(file) {
	return readdirSync(join(root, file, '..')).includes('index.ts');
}
