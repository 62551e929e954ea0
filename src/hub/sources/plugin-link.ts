/*
 * How plugins connect to the hub: its address, and certificates for both ends.
 *
 * The shared hub has a listener. An embedded hub opens a private listener on loopback
 * when its first plugin starts, so a hub without plugins has no port. The certificates
 * of a plugin are made before its process starts: a plugin without a certificate
 * authority would create its own, and two of them would not trust each other.
 */

import { messageOf } from '../../errors.ts';
import { ensureCertificates, loadIdentity } from '../../link/certificates/certificates.ts';
import type { LinkListener } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import { WorkQueue } from '../../rpc/work-queue.ts';

export interface PluginLinkOptions {
	/** Absolute folder of the certificates. */
	readonly certsDir: string;
	readonly log: Log;
	/** The address of an existing listener; called when a plugin starts. */
	readonly address?: (() => Promise<string>) | undefined;
	/** Opens the private listener; called without `address` when the first plugin starts. */
	readonly listen: () => Promise<LinkListener>;
}

export class PluginLink {
	readonly certsDir: string;
	readonly #options: PluginLinkOptions;
	#listener: Promise<LinkListener> | undefined;
	/** Certificates are made one after the other, because the lock of their folder is polled. */
	readonly #certificates = new WorkQueue();

	constructor(options: PluginLinkOptions) {
		this.#options = options;
		this.certsDir = options.certsDir;
	}

	/** Prepare the start of a plugin. Returns the address of the hub; empty when it cannot listen. */
	async open(pluginId: string): Promise<string> {
		await this.#certify(pluginId);
		const { address, listen, log } = this.#options;
		if (address !== undefined) return address();
		this.#listener ??= listen();
		try {
			return (await this.#listener).address;
		} catch (error) {
			this.#listener = undefined;
			log.warn(`plugins cannot use storage, events or other plugins: ${messageOf(error)}`);
			return '';
		}
	}

	/** Stop listening. Idempotent. */
	async close(): Promise<void> {
		// A failure to listen was logged.
		const listener = await this.#listener?.catch(() => undefined);
		await listener?.close();
	}

	#certify(pluginId: string): Promise<void> {
		const names = [`orchestrator-to-${pluginId}`, pluginId, `${pluginId}-client`];
		return this.#certificates.run(async () => {
			await ensureCertificates(this.certsDir);
			for (const name of names) await loadIdentity(this.certsDir, name);
		});
	}
}
