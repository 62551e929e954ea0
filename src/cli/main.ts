#!/usr/bin/env node
/*
 * Where mctl starts: an old Node.js gets one sentence, any other the command line.
 *
 * Nothing may be imported here that an old Node.js cannot load: modules are
 * evaluated before the first line of the file that imports them.
 */
import { nodeProblem } from './node-version.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
	await import('./mctl.ts');
} else {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 69;
}
