/*
 * Values of variables that bridges deliver.
 *
 * The hub has the environment of the process that started it, and some agents drop
 * variables. So a bridge hands over the values that the configuration refers to and
 * the hub lacks. They are kept in memory only, used for the configuration only, and
 * taken from bridges only. The first value stays until the hub ends, so that two
 * bridges with different values do not restart plugins in turn.
 */

import { BRIDGE_PID_VARIABLE } from '../../plugin/features.ts';
import type { PluginManifest } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { ForwardedVariables } from '../open-hub.ts';

/** Variables that are kept. A configuration has a handful. */
const VARIABLES_LIMIT = 1000;
/** How many bridges an error names. */
const NAMED_BRIDGES = 5;
/** The certificate of a bridge. */
const BRIDGE_NAME = 'transport.stdio-client';

export class ForwardedEnvironment {
	readonly #values = new Map<string, string>();
	readonly #bridges = new Set<string>();

	/** Keep what a manifest delivers of the variables in `unset`. True when a value is new. */
	take({ env }: Pick<PluginManifest, 'env'>, peerName: string, unset: readonly string[]): boolean {
		if (peerName !== BRIDGE_NAME) return false;
		const pid = env[BRIDGE_PID_VARIABLE];
		if (pid !== undefined && /^\d+$/.test(pid) && this.#bridges.size < NAMED_BRIDGES) this.#bridges.add(pid);
		const fresh = unset.filter((name) => env[name] !== undefined && !this.#values.has(name));
		for (const name of fresh.slice(0, VARIABLES_LIMIT - this.#values.size))
			this.#values.set(name, env[name] ?? '');
		return fresh.length > 0;
	}

	get current(): ForwardedVariables {
		const bridges = [...this.#bridges].map((pid) => `, nor of the bridge (pid ${pid})`).join('');
		return {
			values: Object.fromEntries(this.#values),
			environmentName: `the environment of the hub (pid ${process.pid})${bridges}`,
		};
	}
}
