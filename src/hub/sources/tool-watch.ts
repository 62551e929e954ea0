/*
 * The tools below some roots, kept up to date.
 *
 * The roots are watched before they are searched, so that no new tool is missed.
 * Listeners are notified only when the usable tools differ: a tool may write into its
 * own folder. A tool whose program is not installed is not usable; a call of it fails
 * with the name of the program.
 */
import { TreeWatch } from '../../files/watch-tree.ts';
import type { Log } from '../../log.ts';
import { discoverTools } from '../../tool/discover.ts';
import { missingProgram } from '../../tool/missing-program.ts';
import type { DiscoveredTool } from '../../tool/tool.ts';

export interface ToolWatchOptions {
	readonly roots: readonly string[];
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** Called when the usable tools differ. */
	readonly onChange: () => void;
}

interface Found {
	/** Keyed by id, including tools that cannot start. */
	readonly all: ReadonlyMap<string, DiscoveredTool>;
	readonly usable: readonly DiscoveredTool[];
	/** Equal for the same usable tools. */
	readonly fingerprint: string;
}

export class ToolWatch {
	readonly #options: ToolWatchOptions;
	readonly #reported = new Set<string>();
	#watches: readonly TreeWatch[] | undefined;
	#found: Found | undefined;

	constructor(options: ToolWatchOptions) {
		this.#options = options;
	}

	/** Watch the roots. Idempotent. */
	watch(): void {
		this.#watches ??= this.#options.roots.map((root) => {
			return new TreeWatch(root, () => this.refresh());
		});
	}

	/** The tools that can be started, sorted by id. */
	get usable(): readonly DiscoveredTool[] {
		return this.#known().usable;
	}

	/** How many those are; undefined before they were searched. */
	get count(): number | undefined {
		return this.#found?.usable.length;
	}

	/** A tool by its id, usable or not. */
	find(id: string): DiscoveredTool | undefined {
		return this.#known().all.get(id);
	}

	/** Search again, and notify when the usable tools differ. */
	refresh(): void {
		if (this.#found === undefined) return; // never listed
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
		const messages = problems.map(({ message }) => message);
		const usable = tools.filter((tool) => {
			const missing = missingProgram(tool, environment);
			if (missing) log.debug(`${missing.message}; it is not usable`);
			return missing === undefined;
		});
		for (const message of messages) if (!this.#reported.has(message)) log.warn(message);
		this.#reported.clear();
		for (const message of messages) this.#reported.add(message);
		const all = new Map(tools.map((tool) => [tool.id, tool]));
		return { all, usable, fingerprint: JSON.stringify(usable) };
	}
}
