/*
 * Ask a registry of MCP servers (API v0.1) about its entries.
 *
 * Only a command that the user gave asks. Answers are cached on disk: a fresh one is not
 * asked for again, and an old one stands in when the registry cannot be reached.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OrchestraError } from '../errors.ts';
import { GuardedHttp } from '../oauth/guarded-http.ts';
import { printableLine } from '../printable.ts';
import { Backoff } from '../rpc/backoff.ts';
import { isObject } from '../wire/json.ts';
import { AnswerCache } from './answer-cache.ts';
import {
	ATTEMPTS,
	FOUND_LIMIT,
	PAGE_ENTRIES,
	PAGE_LIMIT,
	REASON_CHARACTERS,
	REDIRECTS,
	RETRY_MS,
	SEARCH_MS,
	TERM_CHARACTERS,
	TERM_LIMIT,
} from './registry-limits.ts';
import { readServerRecord, type ServerRecord } from './server-record.ts';

/** A directory of servers. */
export interface Registry {
	readonly name: string;
	/** Its address, without the path of the API. */
	readonly url: string;
}

export const officialRegistry: Registry = {
	name: 'official',
	url: 'https://registry.modelcontextprotocol.io',
};

export interface RegistryOptions {
	/** Names proxies, and the state folder. */
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly signal?: AbortSignal | undefined;
	/** The time of the day, in milliseconds since 1970. */
	readonly now?: (() => number) | undefined;
	/** Receives what the user should know beside the answer. */
	readonly info: (text: string) => void;
}

/** The entries that a search found, best first. */
export interface FoundServers {
	readonly servers: readonly ServerRecord[];
	/** Entries that cannot be read. */
	readonly unreadable: number;
	/** Whether the registry has more. */
	readonly isCut: boolean;
}

interface Answer {
	readonly status: number;
	readonly body: unknown;
}

export class RegistryClient {
	readonly registry: Registry;
	readonly #http: GuardedHttp;
	readonly #cache: AnswerCache;
	readonly #options: RegistryOptions;

	constructor(registry: Registry, options: RegistryOptions) {
		this.registry = registry;
		this.#options = options;
		this.#http = new GuardedHttp([registry.url], options.signal, options.environment);
		this.#cache = new AnswerCache(options.environment, options.now);
	}

	/** The latest versions whose name has one of the terms, those with more of them first. */
	async search(terms: readonly string[]): Promise<FoundServers> {
		const found = new Map<string, ServerRecord>();
		let unreadable = 0;
		let isCut = false;
		// The official registry refuses shorter terms; beside longer ones they only rank.
		const long = terms.filter((term) => term.length >= TERM_CHARACTERS);
		for (const term of (long.length > 0 ? long : terms).slice(0, TERM_LIMIT)) {
			const page = await this.#pages(term, FOUND_LIMIT);
			for (const server of page.servers) found.set(server.name, server);
			unreadable += page.unreadable;
			isCut ||= page.isCut;
		}
		const lowerCase = terms.map((term) => term.toLowerCase());
		const servers = [...found.values()]
			.filter(({ status }) => status !== 'deleted')
			.sort(
				(one, other) => score(other, lowerCase) - score(one, lowerCase) || (one.name < other.name ? -1 : 1),
			);
		return { servers, unreadable, isCut };
	}

	/** One entry. Throws `not_found` when the registry has none, or it was deleted. */
	async server(name: string, version = 'latest'): Promise<ServerRecord> {
		const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
		const { status, body } = await this.#get(path);
		if (status === 404) throw this.#absent(name, 'has no server', 'Look for it: mctl search <terms>');
		if (status !== 200) throw this.#refused(status, body);
		const server = readServerRecord(body);
		if (server.name !== name)
			throw this.#absent(name, `answered with ${server.name} in place of`, 'Tell its operator.');
		if (server.status !== 'deleted') return server;
		const why = server.statusMessage === undefined ? '' : ` ("${server.statusMessage}")`;
		throw this.#absent(
			name,
			`has deleted${why}`,
			'Its author or the registry withdrew it: do not install it.',
		);
	}

	/** Pages until enough is found. A cursor that comes back, the limit of pages and the time end it too. */
	async #pages(search: string, limit: number): Promise<FoundServers> {
		const servers: ServerRecord[] = [];
		const cursors = new Set<string>();
		let unreadable = 0;
		let cursor: string | undefined;
		const giveUpAt = performance.now() + SEARCH_MS;
		for (let page = 0; page < PAGE_LIMIT && performance.now() < giveUpAt; page++) {
			const query = new URLSearchParams({ search, version: 'latest', limit: String(PAGE_ENTRIES) });
			if (cursor !== undefined) query.set('cursor', cursor);
			const { status, body } = await this.#get(`/v0.1/servers?${query.toString()}`);
			if (status !== 200) throw this.#refused(status, body);
			for (const item of this.#itemsOf(body)) {
				try {
					servers.push(readServerRecord(item));
				} catch {
					unreadable++; // counted, and left out
				}
			}
			cursor = nextCursor(body);
			if (cursor === undefined || cursors.has(cursor)) return { servers, unreadable, isCut: false };
			if (servers.length >= limit) break;
			cursors.add(cursor);
		}
		return { servers: servers.slice(0, limit), unreadable, isCut: true };
	}

	async #get(path: string): Promise<Answer> {
		const url = `${this.registry.url.replace(/\/+$/, '')}${path}`;
		const cached = this.#cache.read(url);
		if (cached?.isFresh) return cached;
		try {
			const answer = await this.#request(url);
			if (answer.status === 200) this.#cache.write(url, answer);
			if (answer.status < 500 && answer.status !== 429) return answer;
			if (cached === undefined) return answer;
			this.#reportStale(cached.at, `status ${answer.status}`);
		} catch (error) {
			this.#options.signal?.throwIfAborted();
			if (cached === undefined) throw error;
			this.#reportStale(cached.at, messageOf(error));
		}
		return cached;
	}

	#reportStale(at: number, reason: string): void {
		const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
		this.#options.info(
			`note: the registry ${this.registry.name} did not answer (${reason}); this is its answer of ${when}`,
		);
	}

	async #request(url: string): Promise<Answer> {
		const backoff = new Backoff(RETRY_MS, RETRY_MS * 8);
		for (let attempt = 1; ; attempt++) {
			const response = await this.#http.follow(url, REDIRECTS);
			if (response.status >= 300 && response.status <= 399) throw this.#refused(response.status);
			const isBusy = response.status === 429 || response.status >= 500;
			if (isBusy && attempt < ATTEMPTS)
				await sleep(backoff.nextMs(), undefined, { signal: this.#options.signal });
			else
				return {
					status: response.status,
					body: await (response.status === 200 ? this.#json(response) : reasonOf(response)),
				};
		}
	}

	async #json(response: Response): Promise<unknown> {
		try {
			return JSON.parse(await response.text());
		} catch {
			throw new OrchestraError(
				'parse',
				`the registry ${this.registry.name} answered with something other than JSON`,
				{
					hint: `Check its address: ${this.registry.url}`,
				},
			);
		}
	}

	/** The official form is an object with `servers`, which may be null; some registries send a bare list, or `data`. */
	#itemsOf(body: unknown): readonly unknown[] {
		const list = isObject(body) ? (body['servers'] ?? body['data'] ?? []) : body;
		if (Array.isArray(list)) return list.slice(0, PAGE_ENTRIES * 2);
		throw new OrchestraError(
			'parse',
			`the registry ${this.registry.name} answered without a list of servers`,
			{
				hint: `Check its address: ${this.registry.url}`,
			},
		);
	}

	/** @param reason what the registry said about it, if anything */
	#refused(status: number, reason?: unknown): OrchestraError {
		const why = typeof reason === 'string' ? `: ${reason}` : '';
		return new OrchestraError(
			'io',
			`the registry ${this.registry.name} (${this.registry.url}) answered with status ${status}${why}`,
			{ hint: hintFor(status) },
		);
	}

	#absent(name: string, what: string, hint: string): OrchestraError {
		return new OrchestraError('not_found', `the registry ${this.registry.name} ${what} ${name}`, { hint });
	}
}

function hintFor(status: number): string {
	if (status === 429) return 'It asks for fewer requests: wait a minute.';
	return status === 400 || status === 422
		? 'It does not take these terms: use others.'
		: 'Try again later, or check its address.';
}

/** The reason in an answer that is no success: `detail` of the official registry, `error` of its specification. */
async function reasonOf(response: Response): Promise<string | undefined> {
	try {
		const body: unknown = JSON.parse(await response.text());
		const reason = isObject(body) ? (body['detail'] ?? body['error']) : undefined;
		return typeof reason === 'string' ? printableLine(reason.slice(0, REASON_CHARACTERS)) : undefined;
	} catch {
		return undefined; // a page of a proxy, or nothing: the status says enough
	}
}

function nextCursor(body: unknown): string | undefined {
	const metadata = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {};
	const cursor = metadata['nextCursor'] ?? metadata['next_cursor'];
	return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}

/** A term counts twice in the name. */
function score({ name, title = '', description, status }: ServerRecord, terms: readonly string[]): number {
	const text = `${title} ${description}`.toLowerCase();
	const found = terms.map(
		(term) => (name.toLowerCase().includes(term) ? 2 : 0) + (text.includes(term) ? 1 : 0),
	);
	return found.reduce((sum, each) => sum + each, 0) - (status === 'deprecated' ? 1 : 0);
}
