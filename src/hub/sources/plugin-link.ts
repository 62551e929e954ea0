/*
 * How plugins connect to the hub: its address, and certificates for both ends.
 *
 * The shared hub has a listener. An embedded hub opens a private listener on loopback
 * when its first plugin starts, so a hub without plugins has no port. The certificates
 * of a plugin are made before its process starts: a plugin without a certificate
 * authority would create its own, and two of them would not trust each other.
 */
import { messageOf } from '../../errors.ts';
import {
	certificatesFolder,
	ensureCertificates,
	loadIdentity,
	ORCHESTRATOR_NAME,
} from '../../link/certificates/certificates.ts';
import type { LinkListener } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import { sharedState } from '../../mcp/server/mcp-session.ts';
import { servePlugin } from '../../plugin/server/plugin-server.ts';
import { inOrder } from '../../rpc/in-order.ts';
import type { OpenedHub } from '../open-hub.ts';
import { orchestratorHandlers } from '../orchestrator/orchestrator-handlers.ts';

/** Loopback, any free port. */
const PRIVATE_ADDRESS = '127.0.0.1:0';

export interface PluginLinkOptions {
	/** The hub; called after it is open. */
	readonly opened: () => Pick<OpenedHub, 'hub' | 'storage'>;
	/** The address of an existing listener, called when a plugin starts. Default: open a private one. */
	readonly address: (() => Promise<string>) | undefined;
	readonly certsDir: string | undefined;
	readonly log: Log;
}

export class PluginLink {
	/** Absolute folder of the certificates. */
	readonly certsDir: string;
	readonly #options: PluginLinkOptions;
	#listener: Promise<LinkListener> | undefined;
	/** Certificates are made one after the other, because the lock of their folder is polled. */
	readonly #inOrder = inOrder();

	constructor(options: PluginLinkOptions) {
		this.#options = options;
		this.certsDir = certificatesFolder(options.certsDir);
	}

	/** Prepare the start of a plugin. Returns the address of the hub; empty when it cannot listen. */
	async open(pluginId: string): Promise<string> {
		await this.#certify(pluginId);
		const { address, log } = this.#options;
		if (address !== undefined) return address();
		this.#listener ??= this.#listen();
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

	async #listen(): Promise<LinkListener> {
		const { opened, log } = this.#options;
		const deps = { opened, shared: sharedState(), log, details: () => ({}), isPrivate: true };
		const identity = await loadIdentity(this.certsDir, ORCHESTRATOR_NAME);
		return servePlugin({ address: PRIVATE_ADDRESS, identity, handlers: orchestratorHandlers(deps), log });
	}

	#certify(pluginId: string): Promise<void> {
		const names = [`orchestrator-to-${pluginId}`, pluginId, `${pluginId}-client`];
		return this.#inOrder(async () => {
			await ensureCertificates(this.certsDir);
			for (const name of names) await loadIdentity(this.certsDir, name);
		});
	}
}
