/*
 * `docs/api.md` from the source: every export of every subpath with the first sentence
 * of its comment. `node scripts/api.mjs` writes it; `--check` fails when it is out of
 * date, or an export has no comment or no example, and is part of `npm test`. The
 * examples are the programs of `examples/api`, which a test compiles and runs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'docs', 'api.md');
const { name: packageName, exports: subpaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const DEFINITION = /^export (?:abstract )?(?:async )?(?:function\*?|class|const|interface|type) ([\w$]+)/gm;
const missing = [];
const text = render();

if (process.argv.includes('--check')) {
	const isCurrent = readFileSync(target, 'utf8') === text;
	if (!isCurrent) console.error('docs/api.md is out of date: run node scripts/api.mjs');
	for (const place of missing) console.error(place);
	if (!isCurrent || missing.length > 0) process.exitCode = 1;
	else console.log('api: docs/api.md is up to date, every export has a comment and an example');
} else writeFileSync(target, text);

function render() {
	const sections = entries().map(([subpath, file]) => {
		const example = `examples/api/${subpath === packageName ? 'hub' : subpath.split('/').at(-1)}.ts`;
		const code = readFileSync(join(root, example), 'utf8');
		const names = exportsOf(file).sort((a, b) => (a.name < b.name ? -1 : 1));
		// It is imported, and used at least once more.
		for (const { name } of names)
			if ((code.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length < 2)
				missing.push(`${name} of ${subpath} has no example in ${example}`);
		const rows = names.map(
			({ name, kind, about }) => `| \`${name}\` | ${kind} | ${about.replaceAll('|', '\\|')} |`,
		);
		return `## \`${subpath}\`\n\nEach in use: [\`${example}\`](../${example}).\n\n| name | kind | what it is |\n|---|---|---|\n${rows.join('\n')}\n`;
	});
	return `# API\n\nEvery export of the package. Types and comments in full are in the declarations that your editor shows.\n\n${sections.join('\n')}`;
}

/** Subpaths of the package with their source files; two names for one file are listed once. */
function entries() {
	const found = new Map();
	for (const [key, value] of Object.entries(subpaths)) {
		if (typeof value === 'string') continue;
		const file = join(root, value.types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'));
		if (!found.has(file)) found.set(file, key.replace('.', packageName));
	}
	return [...found].map(([file, subpath]) => [subpath, file]);
}

/** What a file exports, its own and what it passes on. */
function exportsOf(file) {
	const source = readFileSync(file, 'utf8');
	const passedOn = [...source.matchAll(/^export (?:type )?\{([^}]+)\} from '([^']+)';/gm)].flatMap(
		([, names, from]) => namesIn(names).map((name) => described(name, resolve(dirname(file), from))),
	);
	const stars = [...source.matchAll(/^export (?:type )?\* from '([^']+)';/gm)]
		.filter(([, from]) => !from.includes('/gen/'))
		.flatMap(([, from]) => exportsOf(resolve(dirname(file), from)));
	const own = definitionsIn(source).map((name) => described(name, file));
	return [...passedOn, ...stars, ...own];
}

function namesIn(list) {
	return list
		.split(',')
		.map((item) => item.trim().replace(/^type /, ''))
		.filter((name) => name !== '');
}

function definitionsIn(source) {
	return [...new Set([...source.matchAll(DEFINITION)].map((match) => match[1]))];
}

/** Kind and first sentence of a name, found where it is defined. */
function described(name, file) {
	const source = readFileSync(file, 'utf8');
	const at = new RegExp(
		`(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?^export (?:abstract )?(?:async )?(function\\*?|class|const|interface|type) ${name}\\b`,
		'm',
	).exec(source);
	if (!at) {
		const passedOn = exportsOf(file).find((item) => item.name === name);
		if (passedOn) return passedOn;
		throw new Error(`${name} is not defined in ${relative(root, file)}`);
	}
	const [, comment = '', kind] = at;
	if (comment === '') missing.push(`${name} in ${relative(root, file)} has no comment`);
	return { name, kind: kind.replace('*', ''), about: firstSentence(comment) };
}

function firstSentence(comment) {
	const plain = comment
		.replace(/^\/\*\*|\*\/\s*$/g, '')
		.replace(/^\s*\* ?/gm, '')
		.replace(/\s+/g, ' ')
		.trim();
	return /^.*?[.!?](?= |$)/.exec(plain)?.[0] ?? plain;
}
