/* The modules of `src/`, bundled for the eval: it measures the code of the working tree in this process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');

/** Import a file of `src/`. The bundle lies below `node_modules`, so that dependencies and data files are found. `only` names the signals that count, those of `search/index/fusion.ts`. */
export async function importSource(file, only) {
	const folder = join(root, 'node_modules', '.cache', 'orchestra-eval', String(process.pid));
	mkdirSync(folder, { recursive: true });
	const name = `${file.replaceAll('/', '-').replace(/\.ts$/, '')}${only ? `-${only.join('-')}` : ''}.mjs`;
	const bundle = await rolldown({
		input: join(root, 'src', file),
		platform: 'node',
		external: [/^node:/, /^[a-z@]/],
		plugins: only ? [{ name: 'signals', transform: (code, id) => withSignals(code, id, only) }] : [],
	});
	await bundle.write({ file: join(folder, name), format: 'esm', codeSplitting: false });
	return import(join(folder, name));
}

/** The weights of all other signals are 0. */
function withSignals(code, id, only) {
	if (!id.endsWith('/fusion.ts')) return null;
	const table = /const weights = \{[^}]*\};/.exec(code)?.[0];
	if (table === undefined) throw new Error('fusion.ts has no table of weights');
	return code.replace(
		table,
		table.replace(/(\w+): [\d.]+/g, (whole, name) => (only.includes(name) ? whole : `${name}: 0`)),
	);
}
