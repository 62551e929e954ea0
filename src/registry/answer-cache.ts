/* The answers of registries on disk, one file each, by the hash of the URL. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { makeFolders } from '../files/make-folders.ts';
import { sha256 } from '../files/sha256.ts';
import { readState, writeState } from '../files/state-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { isObject } from '../wire/json.ts';
import { CACHED_ANSWERS, FRESH_MS } from './registry-limits.ts';

export interface CachedAnswer {
	readonly status: 200;
	readonly body: unknown;
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly isFresh: boolean;
}

export class AnswerCache {
	readonly #folder: string;
	readonly #now: () => number;

	constructor(environment: Readonly<NodeJS.ProcessEnv>, now: () => number = Date.now) {
		this.#now = now;
		this.#folder = join(stateFolder(environment), 'registry');
	}

	/** Undefined when there is none that can be read. */
	read(url: string): CachedAnswer | undefined {
		// Another user may write it: it is asked for again.
		return attempt(() => {
			const cached = readState(this.#file(url));
			if (!isObject(cached) || cached['url'] !== url || typeof cached['at'] !== 'number') return undefined;
			const age = this.#now() - cached['at'];
			return { status: 200, body: cached['body'], at: cached['at'], isFresh: age >= 0 && age < FRESH_MS };
		});
	}

	/** A folder that cannot be written costs a request the next time. */
	write(url: string, { body }: { body: unknown }): void {
		// The same holds here.
		attempt(() => {
			makeFolders(this.#folder, 0o700);
			writeState(this.#file(url), { url, at: this.#now(), body });
			this.#prune();
		});
	}

	#file(url: string): string {
		return join(this.#folder, `${sha256(url).slice(0, 32)}.json`);
	}

	#prune(): void {
		const files = readdirSync(this.#folder).map((name) => join(this.#folder, name));
		if (files.length <= CACHED_ANSWERS) return;
		const byAge = files
			.map((path) => ({ path, at: statSync(path).mtimeMs }))
			.sort((one, other) => one.at - other.at);
		for (const { path } of byAge.slice(0, files.length - CACHED_ANSWERS)) rmSync(path, { force: true });
	}
}
