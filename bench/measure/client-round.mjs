/*
 * One round of one client library, in a process of its own: connect to the
 * answering machine, check, warm up, keep calls in flight for a while, and print
 * the numbers as one JSON line.
 * Arguments: client module, JSON of `{cmd, args}` of the server, JSON of `{inFlight, warmMs, ms}`.
 */
import { pathToFileURL } from 'node:url';
import { TEXT } from './requests.mjs';

const [module, server, plan] = process.argv.slice(2);
const { inFlight, warmMs, ms } = JSON.parse(plan);
const startedAt = performance.now();
const { connect } = await import(pathToFileURL(module).href);
const client = await connect(JSON.parse(server));
await check();
const coldMs = performance.now() - startedAt;
await flood(warmMs, inFlight);
const flight = await flood(ms, inFlight);
await flood(warmMs / 2, 1);
const turn = await flood(ms / 2, 1);
await check();
await client.close();
process.stdout.write(
	`${JSON.stringify({ coldMs, flight, turn, peakBytes: process.resourceUsage().maxRSS * 1024 })}\n`,
);

async function check() {
	const texts = Array.from({ length: inFlight }, (_, n) => `${TEXT} ${n}`);
	const echoed = await Promise.all(texts.map((text) => client.call(text)));
	if (echoed.some((text, n) => text !== texts[n])) throw new Error('a wrong answer');
}

/** Each of `width` loops calls again as soon as it is answered. */
async function flood(durationMs, width) {
	let calls = 0;
	const cpu = process.cpuUsage();
	const from = performance.now();
	const until = from + durationMs;
	const loop = async () => {
		while (performance.now() < until) {
			await client.call(TEXT);
			calls++;
		}
	};
	await Promise.all(Array.from({ length: width }, loop));
	const took = performance.now() - from;
	const { user, system } = process.cpuUsage(cpu);
	return { callsPerSecond: (calls / took) * 1000, cpuMicros: (user + system) / calls };
}
