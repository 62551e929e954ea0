/* The state of an MCP server, for display. */
import type { ServerEntry } from '../../../config/configuration.ts';
import type { OrchestraError } from '../../../errors.ts';
import type { OwnedProcess, ServerState, ServerStatus } from '../backend.ts';
import type { KnownServer } from './known-server.ts';
import { commandOf, firstLine } from './server-failure.ts';
import type { ServerLog } from './server-log.ts';
import type { ServerPool } from './server-pool.ts';

/** How many lines of stderr a status has. */
const STATUS_LINES = 10;

export interface StatusFacts {
	readonly name: string;
	readonly pool: ServerPool;
	readonly known: KnownServer | undefined;
	/** The number of tools that are offered. */
	readonly tools: number | undefined;
	readonly drifted: number;
	/** Calls in flight and queued. */
	readonly calls: number;
	/** Whether a server that failed is started again. */
	readonly restart: boolean;
	readonly log: ServerLog;
}

/** The state over all processes of a server. */
export function stateOf({ all, isStopped }: ServerPool, known: KnownServer | undefined): ServerState {
	const running = all.filter(({ connection }) => connection !== undefined);
	if (running.some(({ calls }) => calls.size > 0)) return 'ready';
	if (all.some(({ isStarting }) => isStarting)) return 'starting';
	if (running.length > 0) return 'idle';
	if (isStopped) return 'stopped';
	if (all.some(({ lastError }) => lastError !== undefined)) return 'failed';
	if (all.some(({ startedAt }) => startedAt !== undefined)) return 'stopped';
	return known === undefined ? 'configured' : 'known';
}

/** Of the first process that failed. */
export function lastErrorOf({ all }: ServerPool): OrchestraError | undefined {
	return all.find(({ lastError }) => lastError !== undefined)?.lastError;
}

/** The status of a server. */
export function statusOf({
	name,
	pool,
	known,
	tools,
	drifted,
	calls,
	restart,
	log,
}: StatusFacts): ServerStatus {
	const running = pool.all.filter(({ pid }) => pid !== undefined);
	const failed = pool.all.find(({ lastError }) => lastError !== undefined);
	const nextTryAt = failed && restart ? new Date(Date.now() + failed.delayMs).toISOString() : null;
	return {
		name,
		state: stateOf(pool, known),
		pid: running[0]?.pid ?? null,
		processes: running.length,
		era: known?.era ?? null,
		revision: known?.revision ?? null,
		version: known?.serverInfo?.version ?? null,
		tools: tools ?? null,
		drifted,
		lastError: failed?.lastError ? firstLine(failed.lastError.message) : null,
		nextTryAt,
		startedAt: running[0]?.startedAt?.toISOString() ?? null,
		calls,
		logFile: log.file,
		lastLines: log.lines.lastErrors(STATUS_LINES),
	};
}

/** The processes of a server. */
export function processesOf({ all }: ServerPool, entry: ServerEntry): OwnedProcess[] {
	return all.flatMap((process) => {
		const { pid, startedAt } = process;
		if (pid === undefined || startedAt === undefined) return [];
		const state = process.isStarting ? 'starting' : process.calls.size > 0 ? 'ready' : 'idle';
		return [{ backend: entry.name, pid, command: commandOf(entry), startedAt, state }];
	});
}
