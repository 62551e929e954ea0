/*
 * The figures of README.md, from `bench/results/gateway.json`. `node scripts/readme-numbers.mjs`
 * writes them between the two marks; `--check` fails when they differ, and is part of `npm test`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'README.md');
const marks = /(<!-- numbers: .*? -->\n)[\s\S]*?(<!-- end of numbers -->)/;
const { machine, calls, known } = JSON.parse(readFileSync(join(root, 'bench/results/gateway.json'), 'utf8'));
const before = readFileSync(target, 'utf8');
const after = before.replace(marks, (_, start, end) => `${start}${render()}\n${end}`);

if (!marks.test(before)) fail('README.md has no place for the numbers');
else if (!process.argv.includes('--check')) writeFileSync(target, after);
else if (before !== after) {
	fail(
		'the numbers of README.md are not those of bench/results/gateway.json: run node scripts/readme-numbers.mjs',
	);
} else console.log('numbers: README.md agrees with bench/results/gateway.json');

function fail(sentence) {
	console.error(sentence);
	process.exitCode = 1;
}

function render() {
	const direct = calls.find(({ name }) => name === 'direct');
	const rows = calls.map(({ name, p50Micros, perSecond, cpuMicros, largeMs }) => {
		const added = name === 'direct' ? '' : whole(p50Micros - direct.p50Micros);
		return `| ${name} | ${whole(p50Micros)} | ${added} | ${whole(perSecond)} | ${whole(cpuMicros)} | ${whole(largeMs)} |`;
	});
	return `
| the same echo server | median µs | added µs | calls/s, 64 in flight | CPU µs per call | 10 MiB result, ms |
|---|---|---|---|---|---|
${rows.join('\n')}

With 100 known servers, \`mctl serve\` answers its first \`tools/list\` ${whole(known.listMs)} ms after its start (a bare Node.js server: ${whole(known.bareMs)} ms), with
${known.children} server processes and ${whole(known.residentBytes / 1024 / 1024)} MiB resident. ${machine.cores} cores, ${machine.cpu}, Node.js ${machine.node.slice(1)}, load ${machine.load.toFixed(1)} a core.
`;
}

/** A rounded number with thousands separated; a dash for none. */
function whole(value) {
	return value === undefined || value === null ? '–' : Math.round(value).toLocaleString('en-US');
}
