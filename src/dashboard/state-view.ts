/* What the overview shows: the hub, its backends and clients, calls that wait, problems. */
import { heldBackText, trustHint } from '../config/trust/held-back.ts';
import { packageVersion } from '../files/package-version.ts';
import { redactJson } from '../redact.ts';
import type { DashboardState, ProblemRow } from './api-types.ts';
import type { ApprovalsView } from './approvals-view.ts';
import { backendRows } from './backend-rows.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { type MemorySamples, roundedBytes } from './memory-samples.ts';

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
			backends: backendRows(this.#parts, this.#memory),
			clients: calls.clients.rows(hub.clients.list()),
			approvals: this.#approvals.list(),
			problems: problemRows(this.#parts),
		};
		// Only strings are replaced, so the type stays.
		return redactJson(state) as DashboardState;
	}
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
