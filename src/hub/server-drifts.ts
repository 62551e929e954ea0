/*
 * The items of MCP servers compared with what was accepted: for `mctl trust diff`, `mctl
 * doctor` and the dashboard. Nothing is started: the tools are those that were listed last.
 *
 * Accepting writes the lock file. Every hub of the project watches it.
 */
import type {
	Configuration,
	FabricSection,
	PinMode,
	ServerEntry,
	ServerSettings,
} from '../config/configuration.ts';
import { attempt, OrchestraError } from '../errors.ts';
import type { LeftOutItem } from '../mcp/client/list-pages.ts';
import type { Tool } from '../protocol/mcp-types.ts';
import { type WordRun, wordDiff } from '../sequence-diff.ts';
import { pinPlace } from '../trust/pins/pin-place.ts';
import { fabricSource } from '../trust/pins/pin-source.ts';
import { PinStore, type PinStores, pinStoreAt } from '../trust/pins/pin-store.ts';
import { type DriftedTool, driftBetween } from '../trust/pins/tool-drift.ts';
import {
	hashesSha256,
	isTooMuch,
	type PinnedTool,
	pinnedFields,
	pinnedTool,
	toolHashes,
} from '../trust/pins/tool-pin.ts';
import { DIFF_COMPARED_CHARACTERS } from '../trust/trust-limits.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
import { readGroupTools } from './catalogue/group-tools.ts';
import { type CachedServer, cacheFilesHere, readKnown } from './sources/mcp/server-cache.ts';
import { reviewedItems } from './sources/mcp/tools/server-tools.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

/** One part of a tool that differs, such as its description. */
interface PartDiff {
	readonly part: (typeof pinnedFields)[number];
	/** Undefined when the tool had no such part, or it is not known. */
	readonly before: string | undefined;
	readonly after: string | undefined;
	readonly words: readonly WordRun[];
}

/** One tool that is not as it was accepted, with both definitions. */
export interface ToolDrift extends DriftedTool {
	/** Whether it is left out of lists until it is accepted. */
	readonly isQuarantined: boolean;
	/** The definition that was accepted; undefined for a new tool, and when it was accepted on another machine. */
	readonly before: PinnedTool | undefined;
	/** The current definition; undefined for a removed tool. */
	readonly after: PinnedTool | undefined;
	/** The parts that differ, word by word; none when the accepted text is not known here. */
	readonly parts: readonly PartDiff[];
}

/** The tools of one server against its pins. */
export interface ServerDrift {
	readonly server: string;
	readonly pin: PinMode;
	/**
	 * `unpinned`: it has no pins yet, or pins are off. `unknown`: its tools were never listed. `broken`: the lock file
	 * cannot be used; `too_large`: the tools are too many to be pinned; `problem` says why.
	 */
	readonly state: 'same' | 'drifted' | 'unpinned' | 'unknown' | 'broken' | 'too_large';
	readonly problem: OrchestraError | undefined;
	readonly lockFile: string;
	/** The sentence that the lock file does not have it any more, although its tools were accepted. */
	readonly missing: string | undefined;
	/** The hash of the tools as they are now: what a user saw when they accept it. */
	readonly sha256: string | undefined;
	readonly drifted: readonly ToolDrift[];
	/** The tools that were listed last, with the instructions of the server, what its pages reach, and pages that changed. */
	readonly tools: readonly Tool[];
	/** The tools that are left out of the list, and why. */
	readonly leftOut: readonly LeftOutItem[];
}

/** A source whose tools are given: a group of the fabric, or a server that was listed for the comparison. */
export interface ListedEntry {
	readonly kind: 'listed';
	readonly name: string;
	readonly file: string;
	readonly settings: Pick<ServerSettings, 'pin'>;
	readonly tools: readonly Tool[];
}

/** The subject of the comparison: an MCP server, or a source with its tools. */
export type ComparedEntry = ServerEntry | ListedEntry;

/** Compare the tools of these servers, in their order. Never throws for the content of a file. */
export function serverDrifts(entries: readonly ComparedEntry[], environment: Environment): ServerDrift[] {
	const stores: PinStores = new Map();
	return entries.map((entry) => {
		return driftOf(entry, pinStoreAt(pinPlace(entry.file, environment), stores), environment);
	});
}

/** The entries whose tools are compared: those that are enabled, and the groups of the fabric that were listed. */
export function pinnedEntries(
	{ mcpServers, fabric }: Configuration,
	environment: Environment,
): ComparedEntry[] {
	return [
		...mcpServers.filter(({ isEnabled }) => isEnabled),
		...(fabric ? groupsOf(fabric, environment) : []),
	];
}

function groupsOf({ file, pin }: FabricSection, environment: Environment): ListedEntry[] {
	return readGroupTools(pinPlace(file, environment)).map(({ group, tools }) => ({
		kind: 'listed',
		name: fabricSource(group),
		file,
		settings: { pin },
		tools,
	}));
}

/**
 * Accept the tools of a server as they were listed last. Returns what was accepted. With `expected`, the `sha256` of the
 * drift that a user saw, other tools are refused with `bad_input`. Throws when the lock file cannot be used.
 */
export async function acceptServer(
	entry: ComparedEntry,
	environment: Environment,
	expected?: string,
): Promise<ServerDrift> {
	const { name } = entry;
	const store = new PinStore(pinPlace(entry.file, environment));
	const drift = driftOf(entry, store, environment);
	if (drift.problem) throw drift.problem;
	if (drift.pin === 'off') {
		throw new OrchestraError('bad_input', `the tools of ${name} are not pinned: "pin" is "off"`, {
			hint: `Remove "pin": "off" from ${entry.file}.`,
		});
	}
	if (drift.state === 'unknown') {
		throw new OrchestraError('not_found', `the tools of ${name} are not known: it was never started`, {
			hint: 'Start it once: mctl list servers --check',
		});
	}
	if (expected !== undefined && expected !== drift.sha256) {
		throw new OrchestraError('bad_input', `the tools of ${name} changed again since they were shown`, {
			hint: `Review them once more: mctl trust diff ${name}`,
		});
	}
	await store.accept(name, drift.tools);
	return drift;
}

/** Pin the tools of a server that was listed for the first time. Never throws: a hub does it at the next list. */
export async function pinServer(
	entry: ServerEntry,
	environment: Environment,
	known: CachedServer,
): Promise<void> {
	if (entry.settings.pin === 'off' || isTooMuch(reviewedItems(known))) return;
	try {
		await new PinStore(pinPlace(entry.file, environment)).record(entry.name, reviewedItems(known));
	} catch {
		// A lock file that cannot be used is reported by the comparison.
	}
}

function driftOf(entry: ComparedEntry, store: PinStore, environment: Environment): ServerDrift {
	const { name, settings } = entry;
	const pin = settings.pin ?? 'warn';
	const cached = entry.kind === 'listed' ? undefined : cachedServer(entry, environment);
	const listed = entry.kind === 'listed' ? entry.tools : cached && reviewedItems(cached);
	const known = listed && [...listed, ...store.changedContents(name)];
	const tooLarge = known && isTooMuch(known) ? tooLargeError(entry, known.length) : undefined;
	const tools = tooLarge ? undefined : known;
	const hashes = tools && toolHashes(tools);
	const { problem } = store.read();
	const { pinned, missing } = store.accepted(name);
	const base = {
		server: name,
		pin,
		problem: pin === 'off' ? undefined : (problem ?? tooLarge),
		lockFile: store.place.lockFile,
		missing: pin === 'off' ? undefined : missing,
		sha256: hashes && hashesSha256(hashes),
		tools: tools ?? [],
		leftOut: cached?.leftOut ?? [],
	};
	if (base.problem) return { ...base, state: problem ? 'broken' : 'too_large', drifted: [] };
	if (hashes === undefined || tools === undefined) return { ...base, state: 'unknown', drifted: [] };
	if (pin === 'off' || pinned === undefined) return { ...base, state: 'unpinned', drifted: [] };
	const drifts = driftBetween(pinned, hashes);
	if (drifts.length === 0) return { ...base, state: 'same', drifted: [] };
	const definitions = store.definitions(name);
	const drifted = drifts.map(({ tool, kind }): ToolDrift => {
		const current = tools.find((each) => each.name === tool);
		const after = current && pinnedTool(current);
		const before = definitions.get(pinned.get(tool) ?? '');
		const isQuarantined = pin === 'quarantine' && kind !== 'removed';
		const parts = kind === 'changed' && before === undefined ? [] : partDiffs(before, after);
		return { tool, kind, isQuarantined, before, after, parts };
	});
	return { ...base, state: 'drifted', drifted };
}

function tooLargeError({ name, file }: ComparedEntry, tools: number): OrchestraError {
	return new OrchestraError('bad_input', `${name} has too much to be pinned: ${tools} tools`, {
		hint: `With "pin": "quarantine" its tools are quarantined; write "pin": "off" for it in ${file} to use them without pins.`,
	});
}

/** Undefined when they were never listed, or the file is damaged: the hub lists the server again then. */
function cachedServer(entry: ServerEntry, environment: Environment): CachedServer | undefined {
	return attempt(() => readKnown(cacheFilesHere(entry, environment)));
}

/** The parts that differ, word by word. */
function partDiffs(before: PinnedTool | undefined, after: PinnedTool | undefined): PartDiff[] {
	return pinnedFields.flatMap((part): PartDiff[] => {
		if (part === 'name' && (before === undefined || after === undefined)) return [];
		if (canonicalJson(before?.[part]) === canonicalJson(after?.[part])) return [];
		const sides = { before: textOf(before?.[part]), after: textOf(after?.[part]) };
		return [{ part, ...sides, words: wordDiff(sides.before ?? '', sides.after ?? '') }];
	});
}

/** A schema with indents and sorted keys: only what differs shows. */
function textOf(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const text = typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
	if (text.length <= DIFF_COMPARED_CHARACTERS) return text;
	return `${text.slice(0, DIFF_COMPARED_CHARACTERS)}… (${text.length - DIFF_COMPARED_CHARACTERS} more characters)`;
}
