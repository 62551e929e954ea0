/*
 * Where a shared hub listens.
 *
 * Bridges and commands of this user use a Unix domain socket in the hub's private
 * folder. A UDP port is opened only when somebody needs one: a plugin is configured,
 * or the configuration names an address. A socket file that was deleted is made
 * again; connections that are open stay.
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

/** Where plugins reach the hub: loopback, any free port. */
const PLUGIN_ADDRESS = '127.0.0.1:0';
/** How often a deleted socket file is made again. */
const REOPEN_LIMIT = 100;

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

	/** Open what is needed from the start. Whoever opened it closes it. */
	static async open(options: HubListenersOptions): Promise<HubListeners> {
		const listeners = new HubListeners(options);
		try {
			await listeners.#openConfigured();
		} catch (thrown) {
			await listeners.close();
			throw thrown;
		}
		return listeners;
	}

	private constructor(options: HubListenersOptions) {
		this.#options = options;
	}

	/** Where bridges and commands connect to. */
	get address(): string {
		return this.#local?.address ?? '';
	}

	/** `host:port` for plugins and others; undefined while nobody needed one. */
	get networkAddress(): string | undefined {
		return this.#listeners.find(({ kind }) => kind !== 'unix')?.address;
	}

	/** The same, opened when it is not. */
	async openNetwork(): Promise<string> {
		return (await this.#openQuic()).address;
	}

	/** Make the socket file again when it was deleted. Never rejects. */
	async keep(): Promise<void> {
		const { log } = this.#options;
		try {
			const path = this.#local?.kind === 'unix' ? this.address.slice('unix:'.length) : undefined;
			if (path === undefined || process.platform === 'win32' || this.#isClosed) return;
			if (lstatSync(path, { throwIfNoEntry: false }) !== undefined || this.#reopened >= REOPEN_LIMIT) return;
			this.#reopened++;
			this.#local = await this.#openLocal();
		} catch (thrown) {
			log.warn(`the socket of the hub cannot be made again: ${messageOf(thrown)}`);
		}
	}

	/** Close every connection. Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await Promise.all(this.#listeners.map((listener) => listener.close()));
	}

	async #openConfigured(): Promise<void> {
		const { listenAddress, tcpAddress } = this.#options.hub;
		this.#local = await this.#openLocal();
		if (listenAddress !== undefined) await this.openNetwork();
		if (tcpAddress !== undefined) await this.#listen(tcpAddress, 'tls');
	}

	/** In the hub's folder; where that takes no socket, in a short one; and by QUIC on loopback where there are none. */
	async #openLocal(): Promise<LinkListener> {
		const { folder, log } = this.#options;
		for (const path of socketPaths(folder)) {
			try {
				return await this.#listen(unixAddress(path()));
			} catch (thrown) {
				log.debug(`no socket there: ${messageOf(thrown)}`);
			}
		}
		log.warn('this system has no Unix domain sockets here: bridges use QUIC');
		return this.#openQuic();
	}

	#openQuic(): Promise<LinkListener> {
		this.#quic ??= this.#listen(this.#options.hub.listenAddress ?? PLUGIN_ADDRESS);
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
