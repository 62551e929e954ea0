/*
 * `npm run test:browser`: the page in a real Chromium, the long tests included.
 *
 * Chromium comes from the system. Where it is missing, this installs Debian's package when it may
 * (root, apt-get); elsewhere it says what to install. Words after `--` go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { findChromium } from './chromium.mjs';
import { install, step, tool } from './steps.mjs';

install();
installChromium();
step('build', process.execPath, ['scripts/build.mjs']);
const words = process.argv.slice(2);
tool('browser tests', 'vitest', ['run', ...(words.length > 0 ? words : ['test/browser'])], {
	env: { ORCHESTRA_TESTS: 'all' },
});

function installChromium() {
	if (findChromium() !== undefined) return;
	const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
	if (!mayInstall) {
		process.stderr.write(
			'there is no Chromium\nhint: install the package chromium, or set ORCHESTRA_CHROMIUM to its path\n',
		);
		process.exit(69);
	}
	const quiet = { quiet: true, env: { DEBIAN_FRONTEND: 'noninteractive' } };
	step('package lists', 'apt-get', ['update'], quiet);
	step('install Chromium', 'apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], quiet);
}
