/* The backends of the hub, with those of the configuration that are disabled. */
import type { Configuration } from '../config/configuration.ts';
import type { Backend, OwnedProcess } from '../hub/backends/backend.ts';
import { firstLine } from '../hub/backends/mcp/server-failure.ts';
import type { MergedList } from '../hub/merged-list.ts';
import type { Awaitable, Tool } from '../protocol/mcp-types.ts';
import { isObject } from '../wire/json.ts';
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
	const processes = backend.processes?.() ?? [];
	const pid = status?.pid ?? processes[0]?.pid ?? null;
	const startedAt = status?.startedAt ?? processes[0]?.startedAt.toISOString();
	return {
		id,
		kind,
		state: status?.state ?? stateWord(backend.state),
		pid,
		processes: processes.length,
		memoryBytes: memoryOfAll(processes, memory),
		era: status?.era ?? null,
		version: status?.version ?? null,
		tools: status?.tools ?? toolCount(hub.catalogue.tools(), backend),
		inFlight: status?.calls ?? 0,
		...calls.counts.of(id),
		lastError: lastErrorOf(backend),
		startedAt: startedAt === undefined ? null : Date.parse(startedAt),
		nextTryAt: timeOf(status?.nextTryAt),
		restarts: backend.counts?.()?.restarts ?? 0,
		isEnabled: true,
		hasDrift,
		actions: backend.control ? actionsOf(pid !== null, hasDrift) : [],
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

function actionsOf(isRunning: boolean, hasDrift: boolean): ServerAction[] {
	const now: ServerAction[] = isRunning ? ['restart', 'stop'] : ['start'];
	return hasDrift ? [...now, 'disable', 'accept', 'hold'] : [...now, 'disable'];
}

/** The state of a plugin may have the reason behind it; one that runs is ready for calls. */
function stateWord(state: string): string {
	if (state.startsWith('running')) return state === 'running' ? 'ready' : 'unhealthy';
	return /^[a-z-]+/i.exec(state)?.[0] ?? state;
}

/** The sum of those that are known; null when none is. */
function memoryOfAll(processes: readonly OwnedProcess[], memory: MemorySamples): number | null {
	const known = processes.map(({ pid }) => memory.of(pid)).filter((bytes) => bytes !== null);
	return known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0);
}

/** The message of a server has its last lines and the next step below the first line. */
function lastErrorOf({ lastError, downReason }: Backend): ApiError | null {
	if (lastError === undefined)
		return downReason === undefined ? null : { code: 'closed', message: downReason };
	const { details } = lastError.data;
	const next = isObject(details) && typeof details['hint'] === 'string' ? details['hint'] : undefined;
	const hint = lastError.hint ?? next;
	return { code: lastError.code, message: firstLine(lastError.message), ...(hint !== undefined && { hint }) };
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
		processes: 0,
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
		actions: ['enable'],
	};
}
