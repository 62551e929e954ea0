/* The backends of the hub, with those of the configuration that are disabled. */
import type { Configuration } from '../config/configuration.ts';
import type { Backend, ServerStatus } from '../hub/backends/backend.ts';
import type { MergedList } from '../hub/merged-list.ts';
import type { Awaitable, Tool } from '../protocol/mcp-types.ts';
import type { ApiError, BackendRow, ServerAction } from './api-types.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import type { MemorySamples } from './memory-samples.ts';

/** One row each, in configuration order. */
export function backendRows(parts: DashboardParts, memory: MemorySamples): BackendRow[] {
	const { hub, opened } = parts;
	const rows = hub.backends.map((backend) => backendRow(backend, parts, memory));
	const shown = new Set(rows.map(({ id }) => id));
	return [
		...rows,
		...disabledEntries(opened.configuration())
			.filter(({ id }) => !shown.has(id))
			.map(disabledRow),
	];
}

/** Of one backend, or of a disabled entry; undefined when there is none. */
export function backendRowOf(
	id: string,
	parts: DashboardParts,
	memory: MemorySamples,
): BackendRow | undefined {
	return backendRows(parts, memory).find((row) => row.id === id);
}

function backendRow(backend: Backend, { calls, hub }: DashboardParts, memory: MemorySamples): BackendRow {
	const { id, kind } = backend;
	const status = backend.serverStatus?.();
	const hasDrift = (status?.drifted ?? 0) > 0;
	const running = backend.processes?.()[0];
	const pid = status?.pid ?? running?.pid ?? null;
	const startedAt = status?.startedAt ?? running?.startedAt.toISOString();
	const starts =
		backend
			.lines?.()
			?.notes()
			.filter(({ text }) => text.startsWith('started:')).length ?? 0;
	return {
		id,
		kind,
		state: status?.state ?? firstWord(backend.state),
		pid,
		memoryBytes: pid === null ? null : memory.of(pid),
		era: status?.era ?? null,
		version: status?.version ?? null,
		tools: status?.tools ?? toolCount(hub.catalogue.tools(), backend),
		inFlight: status?.calls ?? 0,
		...calls.counts.of(id),
		lastError: lastErrorOf(backend, status),
		startedAt: startedAt === undefined ? null : Date.parse(startedAt),
		nextTryAt: timeOf(status?.nextTryAt),
		restarts: Math.max(0, starts - 1),
		isEnabled: true,
		hasDrift,
		actions: backend.control ? actionsOf(backend, pid !== null, hasDrift) : [],
	};
}

const counted = new WeakMap<MergedList<Tool>, Map<Backend, number>>();

/** Of a backend without a status of its own; null while the list is not there. Counted once per list. */
function toolCount(list: Awaitable<MergedList<Tool>>, backend: Backend): number | null {
	if (list instanceof Promise || backend.listTools === undefined || backend.kind === 'mcp') return null;
	let counts = counted.get(list);
	if (counts === undefined) {
		counts = new Map();
		for (const route of list.routes.values()) counts.set(route.backend, (counts.get(route.backend) ?? 0) + 1);
		counted.set(list, counts);
	}
	return counts.get(backend) ?? 0;
}

function actionsOf({ kind }: Backend, isRunning: boolean, hasDrift: boolean): ServerAction[] {
	const now: ServerAction[] = isRunning ? ['restart', 'stop'] : ['start'];
	if (kind !== 'mcp') return now;
	return hasDrift ? [...now, 'disable', 'accept', 'hold'] : [...now, 'disable'];
}

/** The state of a plugin may have the reason behind it. */
function firstWord(state: string): string {
	return /^[a-z-]+/i.exec(state)?.[0] ?? state;
}

function lastErrorOf({ downReason }: Backend, status: ServerStatus | undefined): ApiError | null {
	const message = status?.lastError ?? downReason;
	if (message === null || message === undefined) return null;
	const hint = status?.lastLines?.at(-1);
	return { code: 'closed', message, ...(hint !== undefined && { hint }) };
}

function timeOf(text: string | null | undefined): number | null {
	return text === null || text === undefined ? null : Date.parse(text);
}

function disabledEntries({ mcpServers, plugins }: Configuration): Pick<BackendRow, 'id' | 'kind'>[] {
	return [
		...mcpServers.filter(({ isEnabled }) => !isEnabled).map(({ name }) => ({ id: name, kind: 'mcp' })),
		...plugins.filter(({ isEnabled }) => !isEnabled).map(({ id }) => ({ id, kind: 'plugin' })),
	];
}

function disabledRow({ id, kind }: Pick<BackendRow, 'id' | 'kind'>): BackendRow {
	return {
		id,
		kind,
		state: 'disabled',
		pid: null,
		memoryBytes: null,
		era: null,
		version: null,
		tools: null,
		inFlight: 0,
		callsPerMinute: [],
		errorRate: 0,
		lastError: null,
		startedAt: null,
		nextTryAt: null,
		restarts: 0,
		isEnabled: false,
		hasDrift: false,
		actions: kind === 'mcp' ? ['enable'] : [],
	};
}
