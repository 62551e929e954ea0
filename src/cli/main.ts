#!/usr/bin/env node
/*
 * Where mctl starts: an old Node.js gets one sentence, any other the command line.
 *
 * Nothing may be imported here that an old Node.js cannot load: modules are
 * evaluated before the first line of the file that imports them.
 */
import { nodeProblem } from './node-version.ts';

/** What Node.js 22.8 and later have. */
interface CompileCache {
	createRequire: unknown;
	enableCompileCache?(this: void, folder: string): unknown;
}

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
	// Compiled code is stored beside the program and goes with it. Where the folder cannot be written there is none.
	const { enableCompileCache }: CompileCache = await import('node:module');
	enableCompileCache?.(`${import.meta.dirname}/../.compiled`);
	await import('./mctl.ts');
} else {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 69;
}
