/*
 * The keys of the configuration, from their table (`src/config/sections/sections.ts`): the tables in
 * `docs/configuration.md` and `orchestra.schema.json`, which editors use.
 * `node scripts/configuration-reference.mjs` writes both; `--check` fails when one is out of
 * date, and is part of `npm test`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const BEGIN = '<!-- keys: written by scripts/configuration-reference.mjs -->';
const END = '<!-- end of keys -->';
const root = resolve(import.meta.dirname, '..');
const { sections, schemaOf } = await loadTable();
const schema = {
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'Configuration of Orchestra',
	...schemaOf({ ...sections, $schema: { about: 'this schema', schema: { type: 'string' } } }),
};

const files = [
	['orchestra.schema.json', `${JSON.stringify(schema, null, '\t')}\n`],
	['docs/configuration.md', withTables(readFileSync(join(root, 'docs/configuration.md'), 'utf8'))],
];
for (const [name, text] of files) {
	if (!process.argv.includes('--check')) writeFileSync(join(root, name), text);
	else if (readFileSync(join(root, name), 'utf8') === text)
		console.log(`configuration: ${name} is up to date`);
	else {
		console.error(`${name} is out of date: run node scripts/configuration-reference.mjs`);
		process.exitCode = 1;
	}
}

function withTables(page) {
	const [before, rest] = page.split(BEGIN);
	const [, after] = rest.split(END);
	return `${before}${BEGIN}\n\n${tables()}\n${END}${after}`;
}

/** Objects that occur in several places are described at the first one. */
function tables() {
	const described = new Set();
	return Object.entries(sections)
		.map(([name, row]) => {
			const { schema, members, about, isDivided } = row;
			const of = schema.type === 'array' ? '[]' : !isDivided && schema.additionalProperties ? '.<name>' : '';
			const title = `### \`${name}${of}\`\n\n${capital(about)}.\n`;
			if (members === undefined) return title;
			return `${title}\n| key | default | what |\n|---|---|---|\n${rowsOf(members, '', described).join('\n')}\n`;
		})
		.join('\n');
}

function rowsOf(members, path, described) {
	return Object.entries(members).flatMap(([name, { about, byDefault, members: inner }]) => {
		const fallback = byDefault === undefined ? '' : `\`${JSON.stringify(byDefault)}\``;
		const row = `| \`${path}${name}\` | ${fallback} | ${about.replaceAll('|', '\\|')} |`;
		if (inner === undefined || described.has(inner)) return [row];
		described.add(inner);
		return [row, ...rowsOf(inner, `${path}${name}.`, described)];
	});
}

function capital(text) {
	return text[0].toUpperCase() + text.slice(1);
}

/** The table is TypeScript: it is bundled into a folder that is removed again. */
async function loadTable() {
	const folder = mkdtempSync(join(root, 'node_modules', '.configuration-reference-'));
	try {
		await build({
			cwd: root,
			input: { sections: 'src/config/sections/sections.ts', key: 'src/config/key.ts' },
			platform: 'node',
			external: (id) => !id.startsWith('.') && !id.startsWith(root),
			output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs' },
			logLevel: 'silent',
		});
		const load = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href);
		return { ...(await load('sections')), ...(await load('key')) };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
