/*
 * The scenarios of the official conformance suite for clients over HTTP, with
 * test/conformance/client.mjs as the client.
 *
 * Left out: scenarios of extensions that we do not have (DPoP, workload identity).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { checksIn, reportChecks } from './conformance-extensions.mjs';
import { root } from './steps.mjs';

const SCENARIO_MS = 60_000;

/** The parts of the score, each with its scenarios. */
export const clientParts = {
	client: [
		...['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', 'request-metadata'],
		...['http-standard-headers', 'http-custom-headers', 'http-invalid-tool-headers'],
		...['json-schema-2020-12-preservation', 'json-schema-ref-no-deref', 'sep-2322-client-request-state'],
	],
	'client-authorization': [
		...['metadata-default', 'metadata-var1', 'metadata-var2', 'metadata-var3', 'metadata-issuer-mismatch'],
		...['scope-from-www-authenticate', 'scope-from-scopes-supported', 'scope-omitted-when-undefined'],
		...['scope-step-up', 'scope-retry-limit', 'offline-access-scope', 'offline-access-not-supported'],
		...['token-endpoint-auth-basic', 'token-endpoint-auth-post', 'token-endpoint-auth-none'],
		...['basic-cimd', 'pre-registration', 'resource-mismatch', 'authorization-server-migration'],
		...['iss-supported', 'iss-not-advertised', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected'],
		...['client-credentials-basic', 'client-credentials-jwt', 'enterprise-managed-authorization'],
		...['iss-normalized', '2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback'],
	].map((name) => `auth/${name}`),
	'skills-client': ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map(
		(name) => `sep-2640-client-${name}`,
	),
};

/** The checks of the scenario. */
export async function runClientScenario({ suite, folder, scenario }) {
	const client = await bundledClient(folder);
	const command = `${process.execPath} ${client}`;
	const results = mkdtempSync(join(folder, 'results-'));
	const options = ['--command', command, '--scenario', scenario, '-o', results];
	const args = ['-y', 'node@22', suite, 'client', ...options];
	const { stdout, stderr } = spawnSync('npx', args, {
		cwd: folder,
		encoding: 'utf8',
		timeout: SCENARIO_MS,
	});
	return reportChecks(scenario, checksIn(results), `${stdout}${stderr}`);
}

/** The sources as one file that Node runs, beside our own packages. Made once. */
async function bundledClient(folder) {
	const file = join(folder, 'client.mjs');
	if (existsSync(file)) return file;
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	await build({
		input: join(root, 'test', 'conformance', 'client.mjs'),
		platform: 'node',
		external: (id) => !id.startsWith('.') && !id.startsWith('/'),
		output: { file, format: 'esm', codeSplitting: false },
		logLevel: 'warn',
	});
	return file;
}
