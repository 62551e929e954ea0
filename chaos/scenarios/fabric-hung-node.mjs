/*
 * Nodes of a cluster of three NATS servers hang (SIGSTOP) for 20 s each under open-loop load. No call is run twice, every
 * call is answered, and few outcomes are unknown: a suspect link answers new calls at once, and the members move on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runKills, serversOf } from './fabric-kills.mjs';

export const title =
	'no call is run twice or lost behind a NATS node that hangs for 20 s, and few are unknown';

/** One hang each. */
export const rounds = 10;
const HUNG_MS = 20_000;
/** Between two hangs, so that the cluster is whole again. */
const REST_MS = 4000;
/** Of all calls; without a suspect link almost all calls behind the node are. */
const UNKNOWN_SHARE = 1 / 4;

export async function run(parts) {
	const counts = await runKills(parts, 3, hang);
	if (counts.unknown > counts.calls * UNKNOWN_SHARE)
		counts.failures.push(`the outcome of ${counts.unknown} of ${counts.calls} calls is unknown`);
	return counts;
}

async function hang(place, { counts }) {
	const servers = serversOf(place);
	const node = place.running[servers[counts.serverKills++ % servers.length]];
	await sleep(REST_MS);
	node.kill('SIGSTOP');
	await sleep(HUNG_MS);
	node.kill('SIGCONT');
}
