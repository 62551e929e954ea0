/*
 * `npm run test:conformance`: the official conformance suite against a server on
 * `orchestra-hub/mcp`: over our HTTP listener, on stdio, and behind a hub. The suite needs Node 22 and speaks HTTP
 * only, so it is run by `npx node@22` and reaches the others through test/conformance/relay.mjs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, step } from './steps.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const revisions = ['2025-11-25', '2026-07-28'];
/**
 * Our HTTP listener; the relay before the server alone, before a hub that speaks modern to it, and before one that
 * speaks legacy.
 */
const places = [
	['http', 'http-server.mjs'],
	['direct', 'relay.mjs'],
	['gateway', 'relay.mjs', 'gateway'],
	['gateway-legacy', 'relay.mjs', 'gateway-legacy'],
].filter(([name]) => process.argv.length < 3 || process.argv.includes(name));

step('build', process.execPath, ['scripts/build.mjs']);
const folder = mkdtempSync(join(tmpdir(), 'orchestra-conformance-'));
try {
	const suite = install();
	for (const [name, ...program] of places) {
		for (const revision of revisions) {
			process.stderr.write(`\u2192 conformance ${name} ${revision}\n`);
			const status = await run(suite, revision, program);
			if (status !== 0) process.exitCode = 1;
		}
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}

/** The suite is no dependency: it does not run on the Node that this package is built for. */
function install() {
	writeFileSync(join(folder, 'package.json'), '{"private":true}');
	const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', SUITE];
	const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
	const program = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
	if (!existsSync(program)) throw new Error(`${SUITE} has no ${program}`);
	return program;
}

async function run(suite, revision, [program, ...words]) {
	const server = spawn(process.execPath, [join(root, 'test', 'conformance', program), ...words], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const [url] = await once(server.stdout.setEncoding('utf8'), 'data');
	const args = ['-y', 'node@22', suite, 'server', '--url', url.trim(), '--requirements', revision];
	const { status } = spawnSync('npx', args, { cwd: folder, stdio: 'inherit' });
	server.stdin.end();
	await once(server, 'exit');
	return status;
}
