/* As fabric-kills, with a cluster of three NATS servers. */
import { runKills } from './fabric-kills.mjs';

export const title = 'no call is run twice while nodes of a NATS cluster and workers are killed';

/** One kill each. */
export const rounds = 30;

export function run(parts) {
	return runKills(parts, 3);
}
