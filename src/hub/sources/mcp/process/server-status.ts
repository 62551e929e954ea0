/* The status of an MCP server. */
import type { ServerEntry } from '../../../../config/configuration.ts';
import type { OrchestraError } from '../../../../errors.ts';
import { type OwnedProcess, type SourceStatus, stateOf } from '../../../source-status.ts';
import type { CachedServer } from '../server-cache.ts';
import { commandOf } from './server-failure.ts';
import type { ServerPool } from './server-pool.ts';

/** The part of a status that is read of the processes and of what is known of a server. @param failure why a server without lists could not be started */
export function serverStatusOf(
	{ all, isStopped }: ServerPool,
	known: CachedServer | undefined,
	{ failure, restart }: { readonly failure: OrchestraError | undefined; readonly restart: boolean },
): SourceStatus {
	const running = all.filter(({ pid }) => pid !== undefined);
	const failed = all.find(({ lastError }) => lastError !== undefined);
	const error = failed?.lastError ?? failure;
	const states = all.map(({ state }) => state);
	return {
		state: stateOf(isStopped ? [...states, 'stopped'] : states, known !== undefined, error !== undefined),
		error,
		isListed: known !== undefined,
		nextTryAt: failed && restart ? new Date(Date.now() + failed.delayMs) : undefined,
		pid: running[0]?.pid,
		startedAt: running[0]?.startedAt,
		processes: running.length,
		era: known?.era,
		revision: known?.revision,
		version: known?.serverInfo?.version,
	};
}

/** The processes of a server. */
export function processesOf({ all }: ServerPool, entry: ServerEntry): OwnedProcess[] {
	return all.flatMap(({ pid, startedAt, state }) => {
		if (pid === undefined || startedAt === undefined) return [];
		return [{ backend: entry.name, pid, command: commandOf(entry), startedAt, state }];
	});
}
