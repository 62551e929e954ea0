/* What the overview shows: the hub, its sources and clients, calls that wait, what needs attention. */
import { attempt } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import type { ConnectedClient } from '../../hub/sessions/connected-clients.ts';
import { redactJson } from '../../redact.ts';
import { isObject } from '../../wire/json.ts';
import type { ClientRow, DashboardState, HubFacts } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { FILES_READ_MS } from '../dashboard-limits.ts';
import { approvalRows } from './approvals-view.ts';
import { attentionRows } from './attention.ts';
import { type MemorySamples, roundedBytes } from './memory-samples.ts';
import { sourceRows } from './source-rows.ts';

export class StateView {
	readonly #deps: DashboardDeps;
	readonly #memory: MemorySamples;
	/** The program that runs; the files may be replaced meanwhile. */
	readonly #version = packageVersion();
	#filesVersion = this.#version;
	#filesReadAt = performance.now();
	readonly #startedAt = Date.now() - Math.round(process.uptime() * 1000);
	/** Mean delay of the event loop, measured while there are event streams. */
	loopDelayMs = 0;

	constructor(deps: DashboardDeps, memory: MemorySamples) {
		this.#deps = deps;
		this.#memory = memory;
	}

	/** Without secrets. */
	current(): DashboardState {
		const { hub, opened } = this.#deps;
		const facts: HubFacts = {
			version: this.#version,
			filesVersion: this.#readFilesVersion(),
			root: opened.configuration().root,
			pid: process.pid,
			startedAt: this.#startedAt,
			memoryBytes: roundedBytes(process.memoryUsage.rss()),
			loopDelayMs: Math.round(this.loopDelayMs),
			inFlight: hub.calls.openCount,
			calls: hub.calls.total,
		};
		const backends = sourceRows(this.#deps, this.#memory);
		const state: DashboardState = {
			hub: facts,
			backends,
			clients: hub.clients.list().map(clientRow),
			approvals: approvalRows(this.#deps),
			attention: attentionRows({ opened, hub: facts, backends }),
		};
		// Only strings are replaced, so the type stays.
		return redactJson(state) as DashboardState;
	}

	#readFilesVersion(): string {
		const now = performance.now();
		if (now - this.#filesReadAt < FILES_READ_MS) return this.#filesVersion;
		this.#filesReadAt = now;
		// While an update replaces the files, they cannot be read.
		this.#filesVersion = attempt(() => packageVersion(), this.#filesVersion);
		return this.#filesVersion;
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
