/* One round of one client over HTTP: `http-client.mjs <client> <url> <plan as JSON>`; prints the numbers as JSON. */
import { httpClients } from './http-clients.mjs';

const [name, url, plan] = process.argv.slice(2);
const { inFlight, ms, largeCalls } = JSON.parse(plan);
const client = await httpClients[name](url);
const echo = async () => {
	const { content } = await client.call('echo', { text: 'hello' });
	if (content[0].text !== 'hello') throw new Error('a wrong answer');
};

console.log(JSON.stringify(largeCalls ? await large(largeCalls) : await flood()));
await client.close();
process.exit();

/** `inFlight` calls at a time, for `ms`, after as long a warm-up. */
async function flood() {
	await during(ms / 2);
	const cpu = process.cpuUsage();
	const startedAt = performance.now();
	const calls = await during(ms);
	const seconds = (performance.now() - startedAt) / 1000;
	const { user, system } = process.cpuUsage(cpu);
	return { callsPerSecond: calls / seconds, cpuMicros: (user + system) / calls };
}

async function during(forMs) {
	const end = performance.now() + forMs;
	let calls = 0;
	const lane = async () => {
		for (; performance.now() < end; calls++) await echo();
	};
	await Promise.all(Array.from({ length: inFlight }, lane));
	return calls;
}

/** The fastest of some calls with a result of 10 MiB. */
async function large(count) {
	let best = Number.POSITIVE_INFINITY;
	for (let n = 0; n < count; n++) {
		const startedAt = performance.now();
		const { content } = await client.call('large', {});
		if (content[0].text.length !== 10 * 1024 * 1024) throw new Error('a wrong answer');
		best = Math.min(best, performance.now() - startedAt);
	}
	return { largeMs: best };
}
