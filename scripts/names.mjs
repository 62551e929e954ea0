/*
 * One name, one thing: no two files of `src/` export the same name, and no two have
 * the same file name. A reader who searches for a name finds the one place where it
 * is defined. `index.ts` only passes on what others define.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

const source = resolve(import.meta.dirname, '../src');
const DEFINITION =
	/^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ([A-Za-z_$][\w$]*)/gm;

const files = [...filesBelow(source)].filter(
	(file) => !file.includes('/gen/') && basename(file) !== 'index.ts',
);
const problems = [
	// A command's file has the name of the command, whatever it is about.
	...repeated(files.filter((file) => !file.includes('/cli/')).map((file) => [basename(file), file])).map(
		([name, places]) => `two files are called ${name}: ${places.join(', ')}`,
	),
	...repeated(files.flatMap((file) => exportsOf(file).map((name) => [name, file]))).map(
		([name, places]) => `${name} is exported by ${places.join(' and ')}`,
	),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`names: ${files.length} files, every name defined once`);

function exportsOf(file) {
	// An overloaded function is one name.
	return [...new Set([...readFileSync(file, 'utf8').matchAll(DEFINITION)].map((match) => match[1]))];
}

/** Keys that belong to more than one place, with the places. */
function repeated(pairs) {
	const places = new Map();
	for (const [key, file] of pairs) places.set(key, [...(places.get(key) ?? []), relative(source, file)]);
	return [...places].filter(([, found]) => found.length > 1);
}

function* filesBelow(folder) {
	for (const name of readdirSync(folder)) {
		const path = join(folder, name);
		if (statSync(path).isDirectory()) yield* filesBelow(path);
		else if (/\.tsx?$/.test(path)) yield path;
	}
}
