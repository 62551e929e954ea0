/*
 * `npm run test:conformance [-- part...]`: the official conformance suite against a
 * server on `orchestra-hub/mcp` (over our HTTP listener, on stdio, behind a hub) and
 * against our client over HTTP, with its authorization; the scenarios of extensions through a
 * hub. A part is a place of the server, an extension, a part of the client (`client` is all of them), or one of its scenarios.
 *
 * The suite needs Node 22 and speaks HTTP only, so it is run by `npx node@22` and reaches the server
 * on stdio through test/conformance/relay.mjs, which numbers requests; our side runs on this Node. Hubs are
 * reached over their own listener.
 *
 * The score at the end counts checks: of a revision those of the scenarios that it requires, of an extension all.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientParts, runClientScenario } from './conformance-client.mjs';
import {
	checksIn,
	extensionParts,
	hubOf,
	makePlace,
	printShortfalls,
	runExtension,
	scoreOf,
	withServer,
} from './conformance-extensions.mjs';
import { root, step } from './steps.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const OUTPUT_BYTES = 64 << 20;
const revisions = ['2025-11-25', '2026-07-28'];
const program = join(root, 'test', 'conformance', 'server.mjs');
/** Our HTTP listener, the server on stdio, and hubs that speak modern and legacy to it. */
const places = {
	http: () => ['http-server.mjs'],
	direct: () => ['relay.mjs'],
	gateway: (folder) => hubBefore([program], folder),
	'gateway-legacy': (folder) => hubBefore([program, '--legacy'], folder),
};
const clientScenarios = Object.values(clientParts).flat();
const asked = process.argv.slice(2);
const isAsked = (...names) => asked.length === 0 || names.some((name) => asked.includes(name));
const known = [...Object.keys(places), ...extensionParts, ...Object.keys(clientParts), ...clientScenarios];
const unknown = asked.filter((name) => !known.includes(name));

if (unknown.length > 0) {
	process.stderr.write(
		`conformance: no part is called ${unknown.join(', ')}\nhint: there are ${known.join(', ')}\n`,
	);
	process.exitCode = 64;
} else {
	await runAll();
}

async function runAll() {
	step('build', process.execPath, ['scripts/build.mjs']);
	const folder = mkdtempSync(join(tmpdir(), 'orchestra-conformance-'));
	const scores = [];
	try {
		const suite = install(folder);
		for (const name of Object.keys(places).filter((place) => isAsked(place))) {
			for (const revision of revisions) {
				const part = `${name} ${revision}`;
				process.stderr.write(`\u2192 conformance ${part}\n`);
				const score = (url) => scoreOfServer({ suite, folder, revision, url });
				scores.push({ part, ...(await withServer(places[name](folder), score)) });
			}
		}
		for (const part of extensionParts.filter((name) => isAsked(name)))
			scores.push({ part, ...scoreOf(await runExtension({ suite, folder, part })) });
		for (const [part, scenarios] of Object.entries(clientParts)) {
			const results = [];
			for (const scenario of scenarios.filter((name) => isAsked('client', part, name)))
				results.push(await runClientScenario({ suite, folder, scenario }));
			if (results.length > 0) scores.push({ part, ...scoreOf(results) });
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	console.log(`\nScore, counted in checks; a skipped one has not passed. Nothing changes messages: a proxy adds a token
to requests, and before \`direct\` a relay carries them between HTTP and stdio, with ids of its own.`);
	for (const { part, text, mark } of scores) console.log(`${mark}  ${part}: ${text}`);
	if (scores.some(({ mark }) => mark === 'FAIL')) process.exitCode = 1;
}

/** The suite is no dependency: it does not run on the Node that this package is built for. */
function install(folder) {
	const prefix = join(folder, 'suite');
	const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', prefix, SUITE];
	writeFileSync(join(folder, 'package.json'), '{"private":true,"version":"0.0.0"}');
	const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
	if (status !== 0) process.exit(status ?? 1);
	const suite = join(prefix, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
	if (!existsSync(suite)) throw new Error(`${SUITE} has no ${suite}`);
	return suite;
}

/** A hub whose one server is started for each session. */
function hubBefore(args, folder) {
	const server = { command: process.execPath, args, scope: 'session' };
	return ['http-server.mjs', 'hub', makePlace(folder, { 'orchestra.json': hubOf(server) })];
}

/** The score of what the revision requires. The suite runs more, and says which scenarios it does not score. */
function scoreOfServer({ suite, folder, revision, url }) {
	const results = mkdtempSync(join(folder, 'results-'));
	const args = ['-y', 'node@22', suite, 'server', '--url', url, '--requirements', revision, '-o', results];
	const { status, stdout } = spawnSync('npx', args, {
		cwd: folder,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
		maxBuffer: OUTPUT_BYTES,
	});
	process.stdout.write(stdout);
	const [, unscored = ''] = stdout.split('\nNot scored');
	const notScored = [...unscored.matchAll(/^ {2}\S (\S+) \(/gm)].map(([, name]) => name);
	// The folder of a scenario is named server-SCENARIO-TIME.
	const isScored = (name) => !notScored.some((scenario) => name.startsWith(`server-${scenario}-20`));
	const scored = readdirSync(results).filter(isScored);
	const checks = scored.map((name) => checksIn(join(results, name)));
	printShortfalls(checks.flat());
	const score = scoreOf(checks);
	return status === 0 ? score : { ...score, mark: 'FAIL' };
}
