/*
 * `node scripts/conformance-auth.mjs [scenario...]`: the authorization scenarios of the
 * official conformance suite, with test/conformance/client.mjs as the client. The suite
 * needs Node 22, so it is run by `npx node@22`; the client runs on this Node. Scenarios
 * of extensions (DPoP, client credentials, enterprise) are left out.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { root } from './steps.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const SCENARIO_MS = 60_000;

const scenarios = [
	...['metadata-default', 'metadata-var1', 'metadata-var2', 'metadata-var3', 'metadata-issuer-mismatch'],
	...['scope-from-www-authenticate', 'scope-from-scopes-supported', 'scope-omitted-when-undefined'],
	...['scope-step-up', 'scope-retry-limit', 'offline-access-scope', 'offline-access-not-supported'],
	...['token-endpoint-auth-basic', 'token-endpoint-auth-post', 'token-endpoint-auth-none'],
	...['basic-cimd', 'pre-registration', 'resource-mismatch', 'authorization-server-migration'],
	...['iss-supported', 'iss-not-advertised', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected'],
	...['iss-normalized', '2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback'],
];

const folder = mkdtempSync(join(tmpdir(), 'orchestra-conformance-'));
const suite = join(
	folder,
	'suite',
	'node_modules',
	'@modelcontextprotocol',
	'conformance',
	'dist',
	'index.js',
);
try {
	install();
	const client = await bundleClient();
	const asked = process.argv.slice(2);
	for (const scenario of asked.length > 0 ? asked : scenarios) run(scenario, client);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

function install() {
	const args = [
		'install',
		'--no-audit',
		'--no-fund',
		'--loglevel=error',
		'--prefix',
		join(folder, 'suite'),
		SUITE,
	];
	const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
	if (status !== 0) throw new Error(`${SUITE} could not be installed`);
}

/** The sources as one file that Node runs, beside our own packages. */
async function bundleClient() {
	const file = join(folder, 'client.mjs');
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	writeFileSync(join(folder, 'package.json'), '{"version":"0.0.0"}');
	await build({
		input: join(root, 'test', 'conformance', 'client.mjs'),
		platform: 'node',
		external: (id) => !id.startsWith('.') && !id.startsWith('/'),
		output: { file, format: 'esm', codeSplitting: false },
		logLevel: 'warn',
	});
	return file;
}

function run(scenario, client) {
	const command = `${process.execPath} ${client}`;
	const args = ['-y', 'node@22', suite, 'client', '--command', command, '--scenario', `auth/${scenario}`];
	const { status, stdout, stderr } = spawnSync('npx', args, {
		cwd: folder,
		encoding: 'utf8',
		timeout: SCENARIO_MS,
	});
	const counts = /Passed: .*/.exec(`${stdout}${stderr}`)?.[0] ?? 'no result';
	console.log(`${status === 0 ? 'pass' : 'FAIL'}  auth/${scenario}  ${counts}`);
	if (status === 0) return;
	process.exitCode = 1;
	console.log(`${stdout}${stderr}`);
}
