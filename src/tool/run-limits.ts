/* The bounds of a run, by name. Each may be set per run. */
import { TOOL_EVENTS, TOOL_OUTPUT_BYTES } from '../config/defaults.ts';
import { ownEntry } from '../wire/json.ts';

/** Limits of the output of one run. */
export interface RunLimits {
	/** Most bytes of stdout. */
	readonly outputBytes: number;
	/** Most events. */
	readonly events: number;
}

/** Default deadline of a run, in milliseconds. */
export const RUN_TIMEOUT_MS = 30_000;

/** The default limits. */
export const runLimits: RunLimits = { outputBytes: TOOL_OUTPUT_BYTES, events: TOOL_EVENTS };

/** Warnings of a run that are stored and reported; the rest is counted. */
export const SHOWN_WARNINGS_LIMIT = 100;

/** How much of a line that is no event is shown, in characters. */
export { STRAY_LINE_CHARACTERS } from '../wire/wire-limits.ts';

/** The deadline of one run: requested, configured for this tool, the tool's own, configured for all, 30 s. */
export function runTimeoutMs(
	id: string,
	times: {
		requested?: number | undefined;
		byTool?: Readonly<Record<string, number>> | undefined;
		manifest?: number | undefined;
		fallback?: number | undefined;
	},
): number {
	const own = ownEntry(times.byTool, id);
	return times.requested ?? own ?? times.manifest ?? times.fallback ?? RUN_TIMEOUT_MS;
}

/** How long each run of `mctl check` may take, unless the tool itself asks for more. */
export const CHECK_TIMEOUT_MS = 10_000;
/** A first event later than this leaves the user wondering. */
export const SLOW_START_MS = 2000;

export const MANIFEST_LIMIT_BYTES: number = 1024 * 1024;

/** How many calls wait for a free place before the next one is refused. */
export const WAITING_RUNS_LIMIT = 1000;
export const RUNS_LIMIT = 128;
/** Open files of a process where the system does not say. */
export const OPEN_FILES_DEFAULT = 1024;
