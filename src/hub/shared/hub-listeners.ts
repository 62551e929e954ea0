/*
 * The listeners of a shared hub.
 *
 * Bridges and commands of this user connect to a Unix domain socket in the hub's private
 * folder. A UDP port is opened only when a plugin or an address is configured. A deleted
 * socket file is created again; open connections are not affected.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { HubSection } from '../../config/configuration.ts';
import { messageOf } from '../../errors.ts';
import type { Identity, LinkListener } from '../../link/link.ts';
import { unixAddress } from '../../link/tls/unix-address.ts';
import type { Log } from '../../log.ts';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';
import { servePlugin } from '../../plugin/server/plugin-server.ts';
import type { HubFolder } from './hub-folder.ts';
import { LISTENER_REOPEN_LIMIT } from './shared-limits.ts';

/** The address for plugins: loopback, any free port. */
const PLUGIN_ADDRESS = '127.0.0.1:0';

export interface HubListenersOptions {
	readonly folder: HubFolder;
	readonly hub: HubSection;
	readonly identity: Identity;
	readonly handlers: PluginHandlers;
	readonly log: Log;
}

export class HubListeners {
	readonly #options: HubListenersOptions;
	readonly #listeners: LinkListener[] = [];
	#local: LinkListener | undefined;
	#quic: Promise<LinkListener> | undefined;
	#reopened = 0;
	#isClosed = false;

	constructor(options: HubListenersOptions) {
		this.#options = options;
	}

	/** Open the configured listeners. The caller closes them, also when one cannot be opened. */
	async open(): Promise<void> {
		const { listenAddr, tcpAddr } = this.#options.hub;
		this.#local = await this.#openLocal();
		if (listenAddr !== undefined) await this.openNetwork();
		if (tcpAddr !== undefined) await this.#listen(tcpAddr, 'tls');
	}

	/** The address for bridges and commands. */
	get address(): string {
		return this.#local?.address ?? '';
	}

	/** `host:port` for plugins and remote peers; undefined when none is open. */
	get networkAddress(): string | undefined {
		return this.#listeners.find(({ kind }) => kind !== 'unix')?.address;
	}

	/** The network address; opens the listener if necessary. */
	async openNetwork(): Promise<string> {
		return (await this.#openQuic()).address;
	}

	/** The socket file, where there is one. */
	get socketFiles(): string[] {
		const isFile = this.#local?.kind === 'unix' && process.platform !== 'win32';
		return isFile ? [this.address.slice('unix:'.length)] : [];
	}

	/** Create the socket file again if it was deleted. Never rejects. */
	async restoreSocket(): Promise<void> {
		const { log } = this.#options;
		try {
			const [path] = this.socketFiles;
			if (path === undefined || this.#isClosed) return;
			if (lstatSync(path, { throwIfNoEntry: false }) !== undefined || this.#reopened >= LISTENER_REOPEN_LIMIT)
				return;
			this.#reopened++;
			this.#local = await this.#openLocal();
		} catch (thrown) {
			log.warn(`the socket file of the hub was deleted and cannot be created again: ${messageOf(thrown)}`);
		}
	}

	/** Accept no more bridges and commands, unless there is another one than the one that asks. */
	closeIfAlone(): boolean {
		this.#isClosed = this.#local?.closeIfAlone?.() ?? false;
		return this.#isClosed;
	}

	/** Close all listeners and connections. Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await Promise.all(this.#listeners.map((listener) => listener.close()));
	}

	/** A socket in the hub's folder, else in a folder with a short path, else QUIC on loopback. */
	async #openLocal(): Promise<LinkListener> {
		const { folder, log } = this.#options;
		for (const path of socketPaths(folder)) {
			try {
				return await this.#listen(unixAddress(path()));
			} catch (thrown) {
				log.debug(`no socket can be opened there: ${messageOf(thrown)}`);
			}
		}
		log.warn('no Unix domain socket can be opened: bridges use QUIC on loopback');
		return this.#openQuic();
	}

	#openQuic(): Promise<LinkListener> {
		this.#quic ??= this.#listen(this.#options.hub.listenAddr ?? PLUGIN_ADDRESS);
		return this.#quic;
	}

	async #listen(address: string, kind?: 'tls'): Promise<LinkListener> {
		const { identity, handlers, log } = this.#options;
		const listener = await servePlugin({ address, identity, handlers, log, ...(kind && { kind }) });
		this.#listeners.push(listener);
		return listener;
	}
}

function socketPaths(folder: HubFolder): (() => string)[] {
	if (process.platform === 'win32') return [() => `\\\\.\\pipe\\${folder.socketName}`];
	return [
		() => join(folder.path, 'hub.sock'),
		() => join(folder.shortFolder(), `${folder.socketName.slice(-25)}.sock`),
	];
}
