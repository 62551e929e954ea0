/*
 * Which scope a server has: the one that its entry names, else `shared`.
 *
 * A legacy server that sends client requests while several clients have calls in flight cannot
 * say which one it means. It is remembered as one that does, and has the scope `session`
 * from its next start, unless its entry names another.
 */
import type { ServerScope } from '../../../../config/configuration.ts';
import { messageOf } from '../../../../errors.ts';
import { isAsking, writeAsking } from '../server-cache.ts';
import type { ServerCatalogueDeps } from '../server-catalogue.ts';

type ScopeDeps = Pick<ServerCatalogueDeps, 'entry' | 'files' | 'log'>;

export class ScopeChoice {
	readonly #deps: ScopeDeps;
	/** Undefined until it is read. */
	#isAsking: boolean | undefined;

	constructor(deps: ScopeDeps) {
		this.#deps = deps;
	}

	/** The scope from the next start. */
	get next(): ServerScope {
		const { scope, hasOwnScope } = this.#deps.entry.settings;
		if (hasOwnScope) return scope;
		this.#isAsking ??= isAsking(this.#deps.files);
		return this.#isAsking ? 'session' : scope;
	}

	/** The server sent a client request, and several clients have calls in flight. Returns what follows from it, as a sentence. */
	requestReceived(): string {
		const { name, settings } = this.#deps.entry;
		if (settings.hasOwnScope) return `Set scope of mcpServers.${name} to "session".`;
		if (this.next !== 'session') this.#remember();
		return `From the next start of ${name}, each client has a process of its own (scope "session").`;
	}

	#remember(): void {
		this.#isAsking = true;
		try {
			writeAsking(this.#deps.files);
		} catch (error) {
			this.#deps.log.warn(`that it asks its clients could not be saved: ${messageOf(error)}`);
		}
	}
}
