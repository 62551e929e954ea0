/* Diagnose a hub that runs but does not answer. */
import { OrchestraError } from '../../errors.ts';
import { processStat } from '../../process/process-stat.ts';
import type { HubFolder } from './hub-folder.ts';

/** The heartbeat interval is one second. A hub whose last heartbeat is older than this counts as blocked. */
export const BLOCKED_MS = 5000;

/** The error for a hub whose event loop is blocked; undefined when it is not, or no hub runs. */
export function diagnoseBlockedHub(folder: HubFolder): OrchestraError | undefined {
	const heartbeatAgeMs = folder.heartbeatAgeMs();
	if (heartbeatAgeMs < BLOCKED_MS) return undefined;
	const owner = folder.owner();
	if (owner === undefined) return undefined;
	const seconds = Math.round(heartbeatAgeMs / 1000);
	const isStopped = processStat(owner.pid)?.state === 'T';
	return new OrchestraError(
		'timeout',
		`the hub (pid ${owner.pid}) does not respond: its event loop has been blocked for ${seconds} s`,
		{
			hint: isStopped
				? `A signal suspended it. Continue it with: kill -CONT ${owner.pid}; or end it with: mctl hub stop --force`
				: 'End it with: mctl hub stop --force',
			data: { pid: owner.pid, heartbeatAgeMs },
		},
	);
}
