/* What the overview shows: the hub, its sources and clients, calls that wait, problems. */
import { heldBackText, trustHint } from '../config/trust/held-back.ts';
import { packageVersion } from '../files/package-version.ts';
import type { ConnectedClient } from '../hub/connected-clients.ts';
import { redactJson } from '../redact.ts';
import { isObject } from '../wire/json.ts';
import type { ClientRow, DashboardState, ProblemRow } from './api-types.ts';
import type { ApprovalsView } from './approvals-view.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { type MemorySamples, roundedBytes } from './memory-samples.ts';
import { sourceRows } from './source-rows.ts';

export class StateView {
	readonly #parts: DashboardParts;
	readonly #approvals: ApprovalsView;
	readonly #memory: MemorySamples;
	readonly #startedAt = Date.now() - Math.round(process.uptime() * 1000);
	/** Mean delay of the event loop, measured while there are event streams. */
	loopDelayMs = 0;

	constructor(parts: DashboardParts, approvals: ApprovalsView, memory: MemorySamples) {
		this.#parts = parts;
		this.#approvals = approvals;
		this.#memory = memory;
	}

	/** Without secrets. */
	current(): DashboardState {
		const { hub, opened } = this.#parts;
		const state: DashboardState = {
			hub: {
				version: packageVersion(),
				root: opened.configuration().root,
				pid: process.pid,
				startedAt: this.#startedAt,
				memoryBytes: roundedBytes(process.memoryUsage.rss()),
				loopDelayMs: Math.round(this.loopDelayMs),
				inFlight: hub.calls.openCount,
				calls: hub.calls.total,
			},
			backends: sourceRows(this.#parts, this.#memory),
			clients: hub.clients.list().map(clientRow),
			approvals: this.#approvals.list(),
			problems: problemRows(this.#parts),
		};
		// Only strings are replaced, so the type stays.
		return redactJson(state) as DashboardState;
	}
}

/** A client chooses its name freely. */
function clientRow({ sessionId, transport, since, client, calls, lastCallAt }: ConnectedClient): ClientRow {
	const { name, version } = isObject(client?.clientInfo) ? client.clientInfo : {};
	const text = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 200) : null);
	return {
		sessionId,
		transport,
		since,
		name: text(name) ?? '',
		version: text(version),
		era: client?.revision.era ?? null,
		revision: client?.revision.version ?? null,
		calls,
		lastCallAt: lastCallAt ?? null,
	};
}

/** Project files that are not trusted, and the problems of the configuration. */
export function problemRows({ opened }: Pick<DashboardParts, 'opened'>): ProblemRow[] {
	const { heldBack, problems } = opened.loaded();
	const held = heldBack.map((each) => ({
		message: heldBackText(each),
		hint: trustHint(each),
		file: each.file,
		key: null,
	}));
	const others = problems.map(({ message, file, key }) => ({
		message,
		hint: null,
		file,
		key: key === '' ? null : key,
	}));
	return [...held, ...others];
}
