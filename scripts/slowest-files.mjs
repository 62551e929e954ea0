/* A vitest reporter: the files that took longest, below the usual report. */
const FILES = 20;

export default class SlowestFiles {
	onTestRunEnd(modules) {
		const files = modules.map((module) => ({
			name: module.relativeModuleId,
			ms: module.diagnostic().duration + module.diagnostic().collectDuration,
		}));
		const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, FILES);
		const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
		process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n`);
	}
}
