/* `npm run test:fabric`: the tests of the fabric and of tasks at its workers, with a nats-server that is built when it is missing. */
import { spawnSync } from 'node:child_process';
import { ensureNatsServer } from './nats-server.mjs';
import { install, step, tool } from './steps.mjs';

const server = ensureNatsServer();
if (server === undefined) {
	console.error('test:fabric: there is no nats-server, and no Go to build it with');
	console.error('hint: install nats-server 2.11 or later, or set NATS_SERVER to its path');
	process.exit(69);
}
if (spawnSync('prometheus', ['--version']).status !== 0)
	console.error('test:fabric: there is no prometheus: the board and the alert rules are not tried with one');
install();
step('build', process.execPath, ['scripts/build.mjs']);
process.env.NATS_SERVER = server;
process.env.ORCHESTRA_TESTS = 'all';
tool('tests', 'vitest', [
	'run',
	'test/fabric',
	'test/hub/tasks/task-recovery.test.ts',
	...process.argv.slice(2),
]);
