/*
 * How plugins reach the hub: its address, and certificates for both ends.
 *
 * The shared hub listens anyway. An embedded hub opens a private listener on loopback
 * when its first plugin starts, so a hub without plugins has no port. All certificates
 * of a plugin are made here before its process starts: a plugin that finds no authority
 * would make one of its own, and two that start at once would not trust each other.
 */
import { messageOf } from '../../errors.ts';
import { ensureCertificates, loadIdentity } from '../../link/certificates/certificates.ts';
import type { LinkListener } from '../../link/link.ts';
import type { Log } from '../../log.ts';

export interface PluginLinkOptions {
	/** Absolute folder of the certificates. */
	readonly certsDir: string;
	readonly log: Log;
	/** Where the hub listens by itself, asked when a plugin starts. */
	readonly address?: (() => Promise<string>) | undefined;
	/** Open the private listener; called when there is no address and a plugin starts. */
	readonly listen: () => Promise<LinkListener>;
}

export class PluginLink {
	readonly certsDir: string;
	readonly #options: PluginLinkOptions;
	#listener: Promise<LinkListener> | undefined;
	/** Certificates are made one after the other: the lock of their folder is polled. */
	#certificates: Promise<unknown> = Promise.resolve();

	constructor(options: PluginLinkOptions) {
		this.#options = options;
		this.certsDir = options.certsDir;
	}

	/** Prepare for a plugin. Gives back the address of the hub; empty when it cannot listen. */
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
		// A listener that could not be opened has said so.
		const listener = await this.#listener?.catch(() => undefined);
		await listener?.close();
	}

	#certify(pluginId: string): Promise<void> {
		const names = [`orchestrator-to-${pluginId}`, pluginId, `${pluginId}-client`];
		const made = this.#certificates.then(async () => {
			await ensureCertificates(this.certsDir);
			for (const name of names) await loadIdentity(this.certsDir, name);
		});
		this.#certificates = made.catch(() => {}); // whoever asked for these is told
		return made;
	}
}
