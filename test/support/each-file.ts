/*
 * Runs before each file of tests, also where several files share one worker: modules are
 * loaded once per worker there, so no other module of the tests may register a hook.
 */
import { afterAll } from 'vitest';
import { endFile } from './at-end.ts';

afterAll(endFile);

// A pid that is missing must fail a test, not signal the process group of the test runner: that is what 0 means.
const { kill } = process;
if (kill.name !== 'killOther') {
	process.kill = function killOther(pid, signal) {
		if (Math.trunc(pid) === 0)
			throw new Error(`a test would send ${signal ?? 'SIGTERM'} to its own process group`);
		return kill.call(process, pid, signal);
	};
}
