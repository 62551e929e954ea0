/* A pid that is missing must fail a test, not signal the process group of the test runner: that is what 0 means. */
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
	if (Math.trunc(pid) === 0)
		throw new Error(`a test would send ${signal ?? 'SIGTERM'} to its own process group`);
	return kill(pid, signal);
};
