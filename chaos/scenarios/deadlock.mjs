/* Peers that write as much as they like in both directions, one of them sometimes with blocking reads and writes. */
import { join } from 'node:path';
import { ChildTransport, Client, Peer } from '../../dist/transport/index.js';
import { root } from '../../scripts/steps.mjs';

export const title = 'every call between two peers is settled, whatever the sizes, directions and order';

const SETTLED_MS = 60_000;
const fixture = (name, ...args) => ({
	command: process.execPath,
	args: [join(root, 'test', 'fixtures', name), ...args],
});
const fill = ({ params }) => 'a'.repeat(params.answerBytes);

export async function run({ random, rounds }) {
	const counts = { calls: 0, bytes: 0, canceled: 0, failures: [] };
	for (let round = 0; round < rounds; round++) {
		const kind = random.pick(['ours', 'blocking server', 'blocking client']);
		const plan = Array.from({ length: 1 + random.integer(120) }, () => [sizeOf(random), sizeOf(random)]);
		counts.calls += plan.length;
		for (const [requestBytes, answerBytes] of plan) counts.bytes += requestBytes + answerBytes;
		const wrong = await (kind === 'blocking client'
			? serveClient(plan)
			: callServer(kind, plan, random, counts));
		if (wrong) counts.failures.push(`round ${round}, ${kind}, ${plan.length} calls: ${wrong}`);
	}
	return counts;
}

/** Mostly small, sometimes large; together less than a peer that never reads may send. */
function sizeOf(random) {
	return random.integer(random.pick([100, 10_000, 100_000, 500_000]));
}

async function callServer(kind, plan, random, counts) {
	const isOurs = kind === 'ours';
	const record = isOurs ? fixture('asking-peer.mjs') : fixture('blocking-peer.mjs', 'server');
	const client = await Client.open(record, { onRequest: fill });
	const calls = plan.map(([requestBytes, answerBytes]) => {
		const method = isOurs ? random.pick(['fill', 'ask']) : 'fill';
		const abort = random.integer(20) === 0 ? new AbortController() : undefined;
		if (abort) setImmediate(() => abort.abort());
		const params = { text: 'r'.repeat(requestBytes), answerBytes };
		return client.request(method, params, { timeoutMs: SETTLED_MS, signal: abort?.signal });
	});
	const settled = await Promise.allSettled(calls);
	await client.close();
	const errors = settled.flatMap(({ reason }) => (reason ? [reason] : []));
	const unexpected = errors.filter(({ code }) => code !== 'canceled');
	counts.canceled += errors.length - unexpected.length;
	return unexpected.length > 0
		? `${unexpected.length} failed, the first with ${unexpected[0].message}`
		: undefined;
}

/** Serve a client that reads its first answer after its last request. */
async function serveClient(plan) {
	const transport = await ChildTransport.open(fixture('blocking-peer.mjs', 'client', JSON.stringify(plan)));
	let timer;
	const outcome = await new Promise((resolve) => {
		timer = setTimeout(resolve, SETTLED_MS, `not done after ${SETTLED_MS} ms`);
		const peer = new Peer(transport, {
			role: 'server',
			onRequest: fill,
			onNotification: (_, { answered }) =>
				resolve(answered === plan.length ? undefined : `${answered} answered`),
			onEnd: (reason) => resolve(reason.hint ?? reason.message),
		});
		transport.start(peer);
	});
	clearTimeout(timer);
	await transport.close();
	return outcome;
}
