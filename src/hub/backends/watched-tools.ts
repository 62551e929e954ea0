/*
 * The tools under some roots, kept up to date.
 *
 * The roots are watched before they are searched, so a tool that is copied there at
 * any moment is found. Listeners are notified only when what is offered has changed: a
 * tool that writes into its own folder is no news. A tool whose program is not
 * installed is not offered; a call of it says what is missing.
 */
import { TreeWatch } from '../../files/watch-tree.ts';
import type { Log } from '../../log.ts';
import { discoverTools } from '../../tool/discover.ts';
import { missingProgram } from '../../tool/missing-program.ts';
import type { DiscoveredTool } from '../../tool/tool.ts';

export interface WatchedToolsOptions {
	readonly roots: readonly string[];
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** What is offered has changed. */
	readonly onChange: () => void;
}

interface Found {
	/** By id, those that cannot start included. */
	readonly all: ReadonlyMap<string, DiscoveredTool>;
	readonly offered: readonly DiscoveredTool[];
	/** Equal when the same is offered. */
	readonly fingerprint: string;
}

export class WatchedTools {
	readonly #options: WatchedToolsOptions;
	readonly #told = new Set<string>();
	#watches: readonly TreeWatch[] | undefined;
	#found: Found | undefined;

	constructor(options: WatchedToolsOptions) {
		this.#options = options;
	}

	/** Watch the roots. Idempotent. */
	watch(): void {
		this.#watches ??= this.#options.roots.map((root) => {
			return new TreeWatch(root, { onChange: () => this.refresh() });
		});
	}

	/** The tools that can be started, sorted by id. */
	get offered(): readonly DiscoveredTool[] {
		return this.#known().offered;
	}

	/** A tool by its id, be it offered or not. */
	find(id: string): DiscoveredTool | undefined {
		return this.#known().all.get(id);
	}

	/** Search again, and notify when something else is offered. */
	refresh(): void {
		if (this.#found === undefined) return; // nobody has asked yet
		const { fingerprint } = this.#found;
		this.#found = this.#search();
		if (this.#found.fingerprint !== fingerprint) this.#options.onChange();
	}

	close(): void {
		for (const opened of this.#watches ?? []) opened.close();
		this.#watches = [];
	}

	#known(): Found {
		this.watch();
		this.#found ??= this.#search();
		return this.#found;
	}

	#search(): Found {
		const { roots, environment, log } = this.#options;
		const { tools, problems } = discoverTools(roots);
		const notes = problems.map(({ message }) => message);
		const offered = tools.filter((tool) => {
			const missing = missingProgram(tool, environment);
			if (missing) log.debug(`${missing.message}; it is not offered`);
			return missing === undefined;
		});
		for (const note of notes) if (!this.#told.has(note)) log.warn(note);
		this.#told.clear();
		for (const note of notes) this.#told.add(note);
		const all = new Map(tools.map((tool) => [tool.id, tool]));
		return { all, offered, fingerprint: JSON.stringify(offered) };
	}
}
