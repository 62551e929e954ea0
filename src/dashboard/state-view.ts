/* What the overview shows: the hub, its backends and clients, calls that wait, problems. */
import { packageVersion } from '../files/package-version.ts';
import { redactJson } from '../redact.ts';
import type { DashboardState, ProblemRow } from './api-types.ts';
import type { ApprovalsView } from './approvals-view.ts';
import { type BackendFacts, backendRows } from './backend-rows.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { roundedBytes } from './memory-samples.ts';

export class StateView {
	readonly #parts: DashboardParts;
	readonly #approvals: ApprovalsView;
	readonly #facts: BackendFacts;
	readonly #startedAt = Date.now() - Math.round(process.uptime() * 1000);
	/** Mean delay of the event loop, measured while there are event streams. */
	loopDelayMs = 0;

	constructor(parts: DashboardParts, approvals: ApprovalsView, facts: BackendFacts) {
		this.#parts = parts;
		this.#approvals = approvals;
		this.#facts = facts;
	}

	/** Without secrets. */
	current(): DashboardState {
		const { hub, opened, calls } = this.#parts;
		const state: DashboardState = {
			hub: {
				version: packageVersion(),
				root: opened.configuration().root,
				pid: process.pid,
				startedAt: this.#startedAt,
				memoryBytes: roundedBytes(process.memoryUsage.rss()),
				loopDelayMs: Math.round(this.loopDelayMs),
				inFlight: calls.inFlight,
				calls: calls.total,
			},
			backends: backendRows(this.#parts, this.#facts),
			clients: calls.clients.rows(hub.clients.list(), Date.now()),
			approvals: this.#approvals.list(),
			problems: problemRows(this.#parts),
		};
		// Only strings are replaced, so the type stays.
		return redactJson(state) as DashboardState;
	}
}

/** The problems of the configuration. */
export function problemRows({ opened }: Pick<DashboardParts, 'opened'>): ProblemRow[] {
	return opened.loaded().problems.map(({ message, file, key }) => ({
		message,
		hint: null,
		file,
		key: key === '' ? null : key,
	}));
}
