/* Diagnose a hub that runs but does not answer. */
import { OrchestraError } from '../../errors.ts';
import { processStat } from '../../process/process-stat.ts';
import type { HubFolder } from './hub-folder.ts';

/** The error for a hub that did not answer for so long; undefined when no hub runs. Its socket answers while its event loop runs. */
export function diagnoseBlockedHub(folder: HubFolder, silentMs: number): OrchestraError | undefined {
	const owner = folder.owner();
	if (owner === undefined) return undefined;
	const seconds = Math.round(silentMs / 1000);
	const isStopped = processStat(owner.pid)?.state === 'T';
	return new OrchestraError(
		'timeout',
		`the hub (pid ${owner.pid}) does not respond: its event loop has been blocked for ${seconds} s`,
		{
			hint: isStopped
				? `A signal suspended it. Continue it with: kill -CONT ${owner.pid}; or end it with: mctl hub stop --force`
				: 'End it with: mctl hub stop --force',
			data: { pid: owner.pid, silentMs: Math.round(silentMs) },
		},
	);
}
