/*
 * `npm test`: everything that must hold before a change lands. The style checks run beside the
 * tests. Coverage is measured by `npm run test:all`, in the part that is gated, because it makes
 * tests several times slower.
 * Arguments after `--` go to vitest, and then the style checks are left out.
 */
import { readdirSync } from 'node:fs';
import { install, root, runBeside, step, tool } from './steps.mjs';

/** Copied code: so many lines and tokens that are equal fail. 37 MB, so it is fetched only where all tests run. */
const CLONE_CHECK = 'jscpd@5.3.3';
const CLONE_LIMITS = ['--min-lines', '8', '--min-tokens', '70', '--exit-code', '1'];

const args = process.argv.slice(2);
const isAll = process.env.ORCHESTRA_TESTS === 'all';
install();
step('build', process.execPath, ['scripts/build.mjs']);
if (args.length > 0) tool('tests', 'vitest', ['run', ...args]);
else await runBeside([checks(), ...tests().map((run) => [run])]);
if (args.length === 0 && isAll)
	step('sign-in with oidc-provider', process.execPath, ['scripts/oidc-provider.mjs']);
if (args.length === 0) process.stderr.write(summary());

function checks() {
	const node = (title, ...words) => ({ title, name: process.execPath, args: words });
	return [
		{ title: 'types', name: 'tsc', args: ['-p', 'tsconfig.test.json'] },
		{ title: 'types of the page', name: 'tsc', args: ['-p', 'src/dashboard/page/tsconfig.json'] },
		node('layers', 'scripts/layers.mjs'),
		node('api', 'scripts/api.mjs', '--check'),
		node('commands', 'scripts/cli-reference.mjs', '--check'),
		node('man page', 'scripts/man-page.mjs', '--check'),
		node('configuration', 'scripts/configuration-reference.mjs', '--check'),
		node('numbers', 'scripts/readme-numbers.mjs', '--check'),
		{ title: 'lint', name: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
		{ title: 'format', name: 'biome', args: ['check', '--error-on-warnings', '.'] },
		{ title: 'unused code', name: 'knip', args: [] },
		{ title: 'package', name: 'publint', args: ['--strict'] },
		...(isAll ? [{ title: 'clones', name: 'npx', args: ['-y', CLONE_CHECK, 'src', ...CLONE_LIMITS] }] : []),
	];
}

/** Coverage is measured in the part that reaches the layers with a threshold (vitest.config.ts). */
function tests() {
	const reporters = ['--reporter=default', '--reporter=./scripts/slowest-files.mjs'];
	const run = (title, part, ...more) => ({
		title,
		name: 'vitest',
		args: ['run', ...more],
		isShown: true,
		env: { ORCHESTRA_TESTS_PART: part },
	});
	if (!isAll) return [run('tests', 'short', ...reporters)];
	return [run('tests with coverage', 'gated', '--coverage'), run('tests', 'rest', ...reporters)];
}

/** What ran, and what did not. */
function summary() {
	if (isAll) return '\nnpm run test:all: all tests ran, the load tests and all cases included.\n';
	const files = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' });
	const load = files.filter((file) => file.endsWith('.load.test.ts')).sort();
	return [
		'',
		`npm test left out ${load.length} files of load tests: ${load.join(', ')}`,
		'further cases of kills, races, terminals and SDK pairs, coverage, the tests in Chromium (npm run test:browser)',
		'and those with a nats-server (npm run test:fabric). npm run test:all runs them all.',
		'',
	].join('\n');
}
