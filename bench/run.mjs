/*
 * `npm run bench`: every suite; `npm run bench -- transport`: one. `--quick` takes
 * a minute instead of four; `--minutes N` is how long the dashboard is watched under load.
 * Builds the product on first use, and installs the peers when `bench/package*.json` changed. Progress is on stderr, tables
 * are on stdout, numbers in `bench/results/`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArgs } from '../scripts/read-args.mjs';
import { root, step } from '../scripts/steps.mjs';
import { SubjectFailure } from './measure/process.mjs';
import { load, note, writeResults } from './measure/report.mjs';

const here = import.meta.dirname;
/** Load per core, before we start, from which on a run deserves a warning. */
const BUSY = 0.3;
/** Exit code of Node for an await that nothing can settle. */
const UNSETTLED_AWAIT = 13;
const known = [
	'transport',
	'tools',
	'link',
	'hub',
	'chain',
	'gateway',
	'http',
	'dashboard',
	'fabric',
	'spin',
	'library',
].filter((name) => existsSync(fileOf(name)));
const { values, positionals } = readArgs({
	usage: 'npm run bench -- [suite…] [--quick] [--minutes N]',
	options: { quick: { type: 'boolean', default: false }, minutes: { type: 'string' } },
	names: known,
	kind: 'suite',
});
const minutes = values.minutes === undefined ? [] : ['--minutes', values.minutes];

installPeers();
buildProduct();
const chosen = positionals.length > 0 ? positionals : known;
if (chosen.length === 1) {
	// Without pending work Node exits in the middle of an await, and says nothing.
	process.once('exit', (code) => {
		if (code === UNSETTLED_AWAIT) note(`bench: ${chosen[0]} waits for a subject that has ended`);
	});
	process.exit(await runSuite(chosen[0])); // a peer may have left timers behind
}
for (const name of chosen) runApart(name);

/** A process per suite: one that pins itself to a core or fills its heap does not touch the next. */
function runApart(name) {
	step(name, process.execPath, [
		import.meta.filename,
		name,
		...(values.quick ? ['--quick'] : []),
		...minutes,
	]);
}

/** The exit code. */
async function runSuite(name) {
	const startedAt = performance.now();
	note(`measuring ${name}`);
	if (load() > BUSY)
		note(`  the machine is busy (load ${load().toFixed(1)} a core): trust CPU time more than speed`);
	const { run } = await import(pathToFileURL(fileOf(name)).href);
	let data;
	try {
		data = await run({ isQuick: values.quick, minutes: values.minutes && Number(values.minutes) });
	} catch (error) {
		note(`bench: ${name} failed: ${error instanceof SubjectFailure ? error.message : error.stack}`);
		return 1;
	}
	const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
	const file = data === undefined ? '' : `, numbers in ${writeResults(name, data)}`;
	note(`  ${name}: ${seconds} s${file}`);
	return 0;
}

function installPeers() {
	const stamp = join(here, 'node_modules', '.installed');
	const wanted = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json']) wanted.update(readFileSync(join(here, file)));
	const hash = wanted.digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
	step('install the peers', 'npm', ['ci', '--prefix', here, '--no-audit', '--no-fund', '--loglevel=error'], {
		quiet: true,
	});
	writeFileSync(stamp, hash);
}

function buildProduct() {
	if (existsSync(join(root, 'dist', '.built'))) return;
	step('build', process.execPath, [join(root, 'scripts', 'build.mjs'), '--install']);
}

function fileOf(name) {
	return join(here, `${name}.mjs`);
}
