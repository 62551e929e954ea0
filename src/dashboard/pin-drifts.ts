/*
 * Servers whose tools are not as they were accepted.
 *
 * The comparison reads files, so the overview uses the last one until a list of the hub, a
 * lock file or enough time has passed. The page of one server compares again.
 */
import { statSync } from 'node:fs';
import type { ServerEntry } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import {
	acceptServer,
	pinnedEntries,
	type ServerDrift,
	serverDrifts,
	type ToolDrift,
} from '../hub/server-drifts.ts';
import { pinPlace } from '../trust/pins/pin-place.ts';
import type { DriftRow } from './api-offers.ts';
import type { DashboardParts } from './dashboard-parts.ts';

/** A comparison is used for at most this time, in milliseconds. */
const FRESH_MS = 30_000;

const changes = { new: 'added', removed: 'removed', changed: 'changed' } as const;

export class PinDrifts {
	readonly #parts: Pick<DashboardParts, 'opened' | 'environment'>;
	readonly #version: () => number;
	#drifted: ReadonlySet<string> = new Set();
	#comparedAt = Number.NEGATIVE_INFINITY;
	#key = '';

	/** @param version of the lists of the hub */
	constructor(parts: Pick<DashboardParts, 'opened' | 'environment'>, version: () => number) {
		this.#parts = parts;
		this.#version = version;
	}

	/** Whether a change of this server waits for a person. */
	has(id: string): boolean {
		this.#refresh();
		return this.#drifted.has(id);
	}

	/** The tools that differ, and the hash of what is offered now. */
	of(id: string): { drift: DriftRow[]; driftSha256: string | null } {
		const entry = this.#entryOf(id);
		const [found] = entry === undefined ? [] : serverDrifts([entry], this.#parts.environment);
		if (found === undefined) return { drift: [], driftSha256: null };
		return { drift: rowsOf(found), driftSha256: found.state === 'drifted' ? (found.sha256 ?? null) : null };
	}

	/** Accept what the server offers. With `expected`, the hash that the page showed, anything newer is refused. */
	async accept(id: string, expected: string | undefined): Promise<void> {
		const entry = this.#entryOf(id);
		if (entry === undefined)
			throw new OrchestraError('not_found', `${id} is no MCP server of the configuration`);
		await acceptServer(entry, this.#parts.environment, expected);
		this.#comparedAt = Number.NEGATIVE_INFINITY;
	}

	#entryOf(id: string): ServerEntry | undefined {
		return this.#entries().find(({ name }) => name === id);
	}

	#entries(): ServerEntry[] {
		return pinnedEntries(this.#parts.opened.configuration());
	}

	#refresh(): void {
		const entries = this.#entries();
		const key = `${this.#version()} ${this.#lockTimes(entries)}`;
		const now = performance.now();
		if (key === this.#key && now - this.#comparedAt < FRESH_MS) return;
		this.#key = key;
		this.#comparedAt = now;
		const drifts = serverDrifts(entries, this.#parts.environment);
		this.#drifted = new Set(drifts.filter(({ state }) => state === 'drifted').map(({ server }) => server));
	}

	#lockTimes(entries: readonly ServerEntry[]): string {
		const files = new Set(entries.map(({ file }) => pinPlace(file, this.#parts.environment).lockFile));
		return [...files].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(' ');
	}
}

/** A row for each part that differs; one without texts when nothing of them is known. */
function rowsOf({ drifted }: ServerDrift): DriftRow[] {
	return drifted.flatMap((drift) => {
		const parts =
			drift.parts.length > 0 ? drift.parts : [{ part: null, before: undefined, after: undefined }];
		return parts.map(({ part, before, after }) => row(drift, { part, before, after }));
	});
}

function row(
	{ tool, kind, isHeld }: ToolDrift,
	{ part, before, after }: { part: string | null; before: string | undefined; after: string | undefined },
): DriftRow {
	return {
		kind: 'tool',
		name: tool,
		change: changes[kind],
		part,
		before: before ?? null,
		after: after ?? null,
		isHeld,
		findings: [],
	};
}
