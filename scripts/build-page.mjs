/*
 * The page of the dashboard: its code in one file, its styles in another, and the HTML.
 * Names stay the same from build to build; the server compares a hash with each load.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { root } from './steps.mjs';

const STYLES = ['base', 'shell', 'components', 'views'];

/** Write `dist/dashboard/page`. */
export async function buildPage() {
	const source = join(root, 'src', 'dashboard', 'page');
	const target = join(root, 'dist', 'dashboard', 'page');
	mkdirSync(target, { recursive: true });
	await build({
		cwd: root,
		input: { app: join(source, 'main.tsx') },
		platform: 'browser',
		tsconfig: join(source, 'tsconfig.json'),
		transform: { target: 'es2023' },
		output: { dir: target, format: 'esm', entryFileNames: '[name].js', minify: true },
		logLevel: 'warn',
	});
	const styles = STYLES.map((name) => readFileSync(join(source, 'styles', `${name}.css`), 'utf8'));
	writeFileSync(join(target, 'app.css'), smaller(styles.join('\n')));
	for (const name of ['index.html', 'icon.svg']) copyFileSync(join(source, name), join(target, name));
}

/** Styles without comments and without space that means nothing. */
function smaller(css) {
	return css
		.replace(/\/\*[\s\S]*?\*\//g, '')
		.replace(/\s+/g, ' ')
		.replace(/ ?([{};,]) ?/g, '$1')
		.replaceAll(';}', '}')
		.trim();
}
