/*
 * The figures of README.md and of the documentation, from the committed files of
 * `bench/results/`. `node scripts/readme-numbers.mjs` writes them between the two marks of
 * each page; `--check` fails when they differ, and is part of `npm test`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const marks = /(<!-- numbers: .*? -->\n)[\s\S]*?(<!-- end of numbers -->)/;
const isCheck = process.argv.includes('--check');

showNumbers('README.md', 'bench/results/gateway.json', gatewayNumbers);
showNumbers('docs/benchmarks.md', 'bench/results/http.json', httpNumbers);

/** Bring one page up to date. A suite that was never run here has no numbers. */
function showNumbers(page, results, render) {
	const target = join(root, page);
	const source = join(root, results);
	const text = existsSync(source) ? `${render(JSON.parse(readFileSync(source, 'utf8')))}\n` : '';
	const before = readFileSync(target, 'utf8');
	const after = before.replace(marks, (_, start, end) => `${start}${text}${end}`);
	if (!marks.test(before)) fail(`${page} has no place for the numbers`);
	else if (!isCheck) writeFileSync(target, after);
	else if (before !== after)
		fail(`the numbers of ${page} are not those of ${results}: run node scripts/readme-numbers.mjs`);
	else console.log(`numbers: ${page} agrees with ${results}`);
}

function fail(sentence) {
	console.error(sentence);
	process.exitCode = 1;
}

function gatewayNumbers({ machine, calls, known }) {
	const direct = calls.find(({ name }) => name === 'direct');
	const rowOf = ({ name, p50Micros, perSecond, cpuMicros, largeMs }) => {
		const added = name === 'direct' ? '' : whole(p50Micros - direct.p50Micros);
		return `| ${name} | ${whole(p50Micros)} | ${added} | ${whole(perSecond)} | ${cpuMicros.toFixed(1)} | ${whole(largeMs)} |`;
	};
	const isAcross = ({ name }) => name.includes('legacy client, modern server');
	const sameEra = calls.filter((each) => !isAcross(each)).map(rowOf);
	const acrossEras = calls.filter(isAcross).map(rowOf);
	return `
| client and server of one era | median µs | added µs | calls/s, 64 in flight | CPU µs per call | 10 MiB result, ms |
|---|---|---|---|---|---|
${sameEra.join('\n')}

| across eras | median µs | added µs | calls/s, 64 in flight | CPU µs per call | 10 MiB result, ms |
|---|---|---|---|---|---|
${acrossEras.join('\n')}

With 100 known servers, \`mctl serve\` answers its first \`tools/list\` ${whole(known.listMs)} ms after its start (a bare Node.js server: ${whole(known.bareMs)} ms), with
${known.children} server processes and ${whole(known.residentBytes / 1024 / 1024)} MiB resident. ${machineText(machine)}
`;
}

function httpNumbers({ machine, clients, listeners, hop, stdio }) {
	const listenerRows = listeners.rows.map(
		({ era, inFlight, ours, theirs }) =>
			`| ${era}, ${inFlight} in flight | ${whole(ours.speed)} | ${whole(theirs.speed)} | ${ratio(ours.speed, theirs.speed)} | ${whole(ours.cpu)} | ${whole(theirs.cpu)} | ${ratio(theirs.cpu, ours.cpu)} |`,
	);
	const clientRows = Object.entries(clients).flatMap(([server, all]) => {
		const sdk = all.find(({ client }) => client === 'sdk2');
		return all.map(
			({ client, inTurn, inFlight, inFlightCpuMicros, largeMs }) =>
				`| ${client}, ${server} | ${whole(inTurn)} | ${whole(inFlight)} | ${ratio(inFlight, sdk.inFlight)} | ${whole(inFlightCpuMicros)} | ${ratio(sdk.inFlightCpuMicros, inFlightCpuMicros)} | ${whole(largeMs)} |`,
		);
	});
	const [direct] = hop;
	const hopRows = hop.map(({ name, p50Micros, perSecond, cpu }) => {
		const added = name === direct.name ? '' : whole(p50Micros - direct.p50Micros);
		return `| ${name} | ${whole(p50Micros)} | ${added} | ${whole(perSecond)} | ${whole(cpu)} |`;
	});
	const stdioRows = stdio.map(
		({ gateway, client, server, perSecond, cpuMicros }) =>
			`| ${gateway}, ${client} client, ${server} server | ${whole(perSecond)} | ${whole(cpuMicros)} |`,
	);
	return `
| listener | calls/s | SDK 2, calls/s | faster | CPU µs per call | SDK 2, CPU µs | less CPU |
|---|---|---|---|---|---|---|
${listenerRows.join('\n')}

| client and server | calls/s, 1 in flight | calls/s, 64 in flight | vs SDK 2 | CPU µs per call | less CPU than SDK 2 | 10 MiB result, ms |
|---|---|---|---|---|---|---|
${clientRows.join('\n')}

| a remote server | median µs | added µs | calls/s, 64 in flight | CPU µs of the hub per call |
|---|---|---|---|---|
${hopRows.join('\n')}

| a server over stdio, called over HTTP with 64 connections | calls/s | CPU µs of the gateway per call |
|---|---|---|
${stdioRows.join('\n')}

${machineText(machine)}
`;
}

function machineText({ cores, cpu, node, load }) {
	return `${cores} cores, ${cpu}, Node.js ${node.slice(1)}, load ${load.toFixed(1)} a core.`;
}

/** A rounded number with thousands separated; a dash for none. */
function whole(value) {
	return value === undefined || value === null ? '–' : Math.round(value).toLocaleString('en-US');
}

/** `one` over `other`, as `3.1×`. */
function ratio(one, other) {
	return Number.isFinite(one / other) ? `${(one / other).toFixed(1)}×` : '–';
}
