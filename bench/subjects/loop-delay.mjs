/* Loaded into a process with `--import`: writes the longest delay of its event loop to a file when it ends. */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
// The start of the process itself is not measured.
setTimeout(() => delay.enable(), 500).unref();
const file = process.env.BENCH_LOOP_DELAY_FILE;
// Children must not write it too.
delete process.env.BENCH_LOOP_DELAY_FILE;
delete process.env.NODE_OPTIONS;
if (file) process.on('exit', () => writeFileSync(file, String(delay.max / 1e6)));
