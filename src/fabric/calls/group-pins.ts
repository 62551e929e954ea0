/*
 * The pins of the tools of others: each group of the fabric is compared with what was
 * accepted, as an MCP server is. With `quarantine` before a list, because the list depends
 * on it; with `warn` after it, one group at a time.
 */
import type { PinMode } from '../../config/configuration.ts';
import { messageOf } from '../../errors.ts';
import { writeGroupTools } from '../../hub/catalogue/group-tools.ts';
import type { FabricGroup } from '../../hub/fabric-overview.ts';
import { PINNED_GROUPS } from '../../hub/hub-limits.ts';
import { isSameList } from '../../hub/one-source.ts';
import { ServerPins, type ToolReview } from '../../hub/sources/mcp/tools/server-pins.ts';
import type { Log } from '../../log.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { fabricSource } from '../../trust/pins/pin-source.ts';

export interface PinnedGroupsOptions {
	/** The configuration file with the setting. */
	readonly file: string;
	readonly pin: PinMode | undefined;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly review: ToolReview;
	readonly log: Log;
}

interface PinnedGroup {
	readonly pins: ServerPins;
	tools: readonly Tool[];
}

export class PinnedGroups {
	readonly #options: PinnedGroupsOptions;
	readonly #groups = new Map<string, PinnedGroup>();
	/** Groups that are not compared yet. */
	readonly #waiting = new Set<string>();
	#onQuarantine: () => void = () => {};
	#isClosed = false;
	#hasWarned = false;

	constructor(options: PinnedGroupsOptions) {
		this.#options = options;
	}

	/** Call `listener` when other tools are quarantined. */
	onQuarantine(listener: () => void): void {
		this.#onQuarantine = listener;
	}

	/** The tools of a group were listed. */
	read(group: string, tools: readonly Tool[]): void {
		const { pin } = this.#options;
		if (pin === 'off' || tools.length === 0) return;
		const known = this.#groups.get(group) ?? this.#open(group);
		if (known === undefined || isSameList(known.tools, tools)) return;
		known.tools = tools;
		if (pin === 'quarantine') return this.#compare(group);
		if (this.#waiting.size === 0) this.#compareLater();
		this.#waiting.add(group);
	}

	/** Why a tool is quarantined; undefined when it is not. */
	quarantineReason(group: string, tool: string): string | undefined {
		const known = this.#groups.get(group);
		if (known) return known.pins.quarantined?.get(tool);
		return this.#options.pin === 'quarantine'
			? `${tool} is quarantined: no more than ${PINNED_GROUPS} groups of the fabric are pinned, and ${group} is none of them`
			: undefined;
	}

	/** The action when a group changes its tools, and how many are not as they were accepted. */
	stateOf(group: string): Pick<FabricGroup, 'pin' | 'drifted'> {
		const { pin = 'warn' } = this.#options;
		return { pin, drifted: this.#groups.get(group)?.pins.driftCount ?? 0 };
	}

	/** Resolves when the pins are on disk. Never rejects. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await Promise.all([...this.#groups.values()].map(({ pins }) => pins.close()));
	}

	#open(group: string): PinnedGroup | undefined {
		const { file, pin, environment, review, log } = this.#options;
		if (this.#groups.size >= PINNED_GROUPS) {
			if (!this.#hasWarned)
				log.warn(`only ${PINNED_GROUPS} groups of the fabric are compared with their pins`);
			this.#hasWarned = true;
			return undefined;
		}
		const entry = { name: fabricSource(group), file, settings: { pin } };
		const pins = new ServerPins({ entry, environment, review, log }, () => this.#onQuarantine());
		const opened: PinnedGroup = { pins, tools: [] };
		this.#groups.set(group, opened);
		return opened;
	}

	#compareLater(): void {
		setImmediate(() => {
			const [group] = this.#waiting;
			if (group === undefined || this.#isClosed) return;
			this.#waiting.delete(group);
			this.#compare(group);
			if (this.#waiting.size > 0) this.#compareLater();
		}).unref();
	}

	#compare(group: string): void {
		const known = this.#groups.get(group);
		if (known === undefined) return;
		const { file, environment, log } = this.#options;
		const { pins, tools } = known;
		try {
			// Before a drift is reported, so that "mctl trust diff" shows it.
			writeGroupTools(pinPlace(file, environment), { group, tools });
		} catch (error) {
			log.info(`the tools of ${fabricSource(group)} could not be saved: ${messageOf(error)}`);
		}
		pins.read(tools, 'server');
	}
}
