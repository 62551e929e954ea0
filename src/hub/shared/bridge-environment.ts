/*
 * Environment variables that bridges forward to the shared hub.
 *
 * The hub has the environment of the process that started it, and some agents drop
 * variables. A bridge therefore forwards the variables of the configuration that the
 * hub lacks. They are accepted from bridges only, stored in memory only and used for the
 * configuration only. The first value wins until the hub ends, so that two bridges with
 * different values do not restart plugins again and again.
 */
import { TRUST_VARIABLE } from '../../config/trust/blocked.ts';
import { BRIDGE_PID_VARIABLE } from '../../plugin/features.ts';
import type { PluginManifest } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { ForwardedVariables } from '../current-configuration.ts';
import { FORWARDED_VARIABLES_LIMIT, NAMED_BRIDGES_LIMIT } from './shared-limits.ts';

/** The certificate of a bridge. */
const BRIDGE_NAME = 'transport.stdio-client';

export class BridgeEnvironment {
	readonly #values = new Map<string, string>();
	readonly #bridges = new Set<string>();

	/** Store the values that a manifest has for the variables in `unset`. True when one is new. */
	take({ env }: Pick<PluginManifest, 'env'>, peerName: string, unset: readonly string[]): boolean {
		if (peerName !== BRIDGE_NAME) return false;
		const pid = env[BRIDGE_PID_VARIABLE];
		if (pid !== undefined && /^\d+$/.test(pid) && this.#bridges.size < NAMED_BRIDGES_LIMIT)
			this.#bridges.add(pid);
		const fresh = unset
			// What the hub trusts is decided by its own environment.
			.filter((name) => name !== TRUST_VARIABLE && env[name] !== undefined && !this.#values.has(name))
			.slice(0, FORWARDED_VARIABLES_LIMIT - this.#values.size);
		for (const name of fresh) this.#values.set(name, env[name] ?? '');
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
