/*
 * The pins of one MCP server, or of one group of the fabric, in a hub: its tools are compared with what was accepted
 * whenever its tools are read. A drift is logged; with `quarantine` the tools that differ are
 * left out of lists, and a call of one is refused.
 *
 * A call costs one comparison. With `warn`, tools from disk are compared only when the
 * hub is idle: nothing depends on the result.
 */
import type { PinMode, ServerSettings } from '../../../../config/configuration.ts';
import { messageOf } from '../../../../errors.ts';
import type { Log } from '../../../../log.ts';
import { printableName } from '../../../../printable.ts';
import type { Tool } from '../../../../protocol/mcp-types.ts';
import { pinPlace } from '../../../../trust/pins/pin-place.ts';
import { sourceTitle } from '../../../../trust/pins/pin-source.ts';
import { type PinStore, type PinStores, pinStoreAt } from '../../../../trust/pins/pin-store.ts';
import { type DriftedTool, type DriftKind, driftBetween } from '../../../../trust/pins/tool-drift.ts';
import { isTooMuch, type ToolHashes, toolHashes } from '../../../../trust/pins/tool-pin.ts';
import { LOGGED_PIN_CHANGES_LIMIT } from '../../source-limits.ts';
import type { ListOrigin } from '../server-catalogue.ts';
import type { ToolScans } from './tool-scans.ts';

/** The deps that the servers of a hub share to review their tools. */
export interface ToolReview {
	readonly stores: PinStores;
	readonly scans: ToolScans;
}

/** The owner of pins: an entry of the configuration, or a group of the fabric. */
export interface PinnedEntry {
	readonly name: string;
	/** The configuration file that it comes from. */
	readonly file: string;
	readonly settings: Pick<ServerSettings, 'pin'>;
}

export interface PinDeps {
	readonly entry: PinnedEntry;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly review: ToolReview;
	readonly log: Log;
}

export class ServerPins {
	readonly #deps: PinDeps;
	readonly #mode: PinMode;
	readonly #onQuarantine: () => void;
	#store: PinStore | undefined;
	#stopWatching: (() => void) | undefined;
	/** The tools that were read last, and have not been compared. */
	#waiting: readonly Tool[] | undefined;
	/** True while the tools are those of a server like it, which are never recorded. */
	#isStandIn = false;
	#current:
		| { readonly tools: readonly Tool[]; readonly hashes: ToolHashes; readonly isFromServer: boolean }
		| undefined;
	/** Why each tool is quarantined, by its own name; undefined when none is. */
	#quarantined: ReadonlyMap<string, string> | undefined;
	#recording: Promise<void> = Promise.resolve();
	#logged = '';
	#isWarm = false;
	#driftCount = 0;
	/** The hash of each content that was read last. */
	readonly #contents = new Map<string, string>();

	/** @param onQuarantine the tools that are quarantined are others now */
	constructor(deps: PinDeps, onQuarantine: () => void) {
		this.#deps = deps;
		this.#mode = deps.entry.settings.pin ?? 'warn';
		this.#onQuarantine = onQuarantine;
	}

	/** Undefined when no tool is quarantined. */
	get quarantined(): ReadonlyMap<string, string> | undefined {
		return this.#quarantined;
	}

	/** Tools that are not as they were accepted. */
	get driftCount(): number {
		return this.#driftCount;
	}

	get quarantines(): boolean {
		return this.#mode === 'quarantine';
	}

	/** The tools were read. */
	read(tools: readonly Tool[], source: ListOrigin): void {
		this.#isStandIn = source === 'stand-in';
		if (this.#isStandIn && !this.quarantines) return;
		this.#waiting = tools;
		const isFresh = source === 'server';
		if (isFresh || this.quarantines || this.#isWarm) this.#compareWaiting(isFresh);
	}

	/**
	 * An item that is known only after it was read is pinned when it is seen first. Returns why it is quarantined; undefined when it may be given out.
	 */
	seen(item: Tool): string | undefined {
		const store = this.#watched();
		if (store === undefined) return undefined;
		const { entry, log } = this.#deps;
		const server = entry.name;
		const { name } = item;
		const accepted = store.accepted(server).pinned?.get(name);
		if (accepted === undefined) this.#track(store.add(server, item));
		const [hash = ''] = toolHashes([item]).values();
		const isAccepted = accepted === undefined || accepted === hash;
		if (this.#contents.get(name) !== hash) {
			this.#contents.set(name, hash);
			this.#track(store.setContent(server, item, isAccepted));
			if (!isAccepted)
				log.warn(
					`${sourceTitle(server)} changed ${printableName(name)}. See it with "mctl trust diff ${server}", accept it with "mctl trust accept ${server}"`,
				);
		}
		if (isAccepted) return undefined;
		return this.quarantines ? reasonFor(server, name, 'changed', '')[0]?.[1] : undefined;
	}

	/** The hub is idle. */
	warm(): void {
		this.#isWarm = true;
		this.#compareWaiting();
	}

	/** Resolves when the pins are on disk. Never rejects. */
	async close(): Promise<void> {
		this.#stopWatching?.();
		await this.#recording;
	}

	#compareWaiting(isFresh = false): void {
		const tools = this.#waiting;
		if (tools === undefined) return;
		this.#waiting = undefined;
		if (isTooMuch(tools)) this.#refuse(tools);
		else {
			this.#current = { tools, hashes: toolHashes(tools), isFromServer: isFresh };
			this.#compare(isFresh);
		}
		this.#deps.review.scans.add(this.#deps.entry.name, tools, this.#deps.log);
	}

	#compareAgain(): void {
		if (this.#current) this.#compare(false);
	}

	/** Tools from disk were recorded when they were read from the server. */
	#compare(isFresh: boolean): void {
		const server = this.#deps.entry.name;
		const store = this.#watched();
		if (store === undefined) return;
		const { tools = [], hashes = new Map<string, string>() } = this.#current ?? {};
		const { problem } = store.read();
		if (problem) return this.#reportProblem(problem.message, hashes);
		const { pinned, missing } = store.accepted(server);
		const isUnknown = pinned === undefined && !this.#isStandIn;
		// A lock file that was deleted is written again for the tools of today, not for those of an earlier day.
		const isDeleted = missing !== undefined && this.#current?.isFromServer === true;
		if (isFresh || isUnknown || isDeleted) this.#track(store.record(server, tools));
		const drifted = pinned === undefined ? [] : driftBetween(pinned, hashes);
		this.#driftCount = drifted.length;
		const remark = missing === undefined ? '' : ` ${missing}.`;
		this.#report(drifted, remark);
		this.#quarantine(new Map(drifted.flatMap(({ tool, kind }) => reasonFor(server, tool, kind, remark))));
	}

	/** The pins, read again from now on when their files change. */
	#watched(): PinStore | undefined {
		if (this.#mode === 'off') return undefined;
		const { entry, environment, review } = this.#deps;
		this.#store ??= pinStoreAt(pinPlace(entry.file, environment), review.stores);
		this.#stopWatching ??= this.#store.watch(() => this.#compareAgain());
		return this.#store;
	}

	/** A catalogue that is too large to compare. */
	#refuse(tools: readonly Tool[]): void {
		this.#current = undefined;
		const message = `it has too much (${tools.length} tools)`;
		this.#reportProblem(message, new Map(tools.map(({ name }) => [name, ''])));
	}

	/** Pins that cannot be read say nothing about what was accepted. */
	#reportProblem(message: string, hashes: ToolHashes): void {
		const { entry, log } = this.#deps;
		const server = entry.name;
		if (this.#mode === 'off') return;
		if (this.#logged !== message)
			log.warn(`the tools of ${server} cannot be compared with their pins: ${message}`);
		this.#logged = message;
		const reason = `it cannot be compared with its pin: ${message}`;
		this.#quarantine(
			new Map([...hashes.keys()].map((tool) => [tool, `${printableName(tool)} is quarantined: ${reason}`])),
		);
	}

	/** The store writes in order: the last write is the end of all. */
	#track(written: Promise<void>): void {
		const { entry, log } = this.#deps;
		const server = entry.name;
		this.#recording = written.catch((error: unknown) => {
			log.info(`the tools of ${server} could not be pinned: ${messageOf(error)}`);
		});
	}

	/** @param remark about the lock file */
	#report(drifted: readonly DriftedTool[], remark: string): void {
		const { entry, log } = this.#deps;
		const server = entry.name;
		const text = describeDrift(drifted);
		if (text !== '' && text + remark !== this.#logged) {
			const effect = `${this.quarantines ? ' What is changed or new is quarantined.' : ''}${remark}`;
			log.warn(
				`${sourceTitle(server)} does not have the tools that were accepted: ${text}.${effect} See them with "mctl trust diff ${server}", accept them with "mctl trust accept ${server}"`,
			);
		}
		this.#logged = text + remark;
	}

	#quarantine(reasons: ReadonlyMap<string, string>): void {
		if (!this.quarantines) return;
		const before = [...(this.#quarantined?.keys() ?? [])].join('\n');
		this.#quarantined = reasons.size === 0 ? undefined : reasons;
		if (before !== [...reasons.keys()].join('\n')) this.#onQuarantine();
	}
}

/** One phrase for each kind of drift, with the first names. */
export function describeDrift(drifted: readonly DriftedTool[]): string {
	const kinds: readonly DriftKind[] = ['changed', 'new', 'removed'];
	return kinds
		.flatMap((kind) => {
			const names = drifted.filter((each) => each.kind === kind).map(({ tool }) => printableName(tool));
			if (names.length === 0) return [];
			const more =
				names.length > LOGGED_PIN_CHANGES_LIMIT ? ` and ${names.length - LOGGED_PIN_CHANGES_LIMIT} more` : '';
			return [`${kind}: ${names.slice(0, LOGGED_PIN_CHANGES_LIMIT).join(', ')}${more}`];
		})
		.join('; ');
}

function reasonFor(server: string, tool: string, kind: DriftKind, remark: string): [string, string][] {
	if (kind === 'removed') return [];
	const what =
		kind === 'changed' ? `${sourceTitle(server)} changed it` : `it is new at ${sourceTitle(server)}`;
	const todo = `See it with "mctl trust diff ${server}", then accept it with "mctl trust accept ${server}".`;
	return [
		[tool, `${printableName(tool)} is quarantined: ${what} since its tools were accepted.${remark} ${todo}`],
	];
}
