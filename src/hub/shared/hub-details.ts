/* What a running hub tells about itself, for `mctl hub status` and `mctl hub ps`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Hub } from '../hub.ts';

const PAGE_BYTES = 4096;

export interface BackendStatus {
	readonly id: string;
	readonly kind: string;
	readonly state: string;
	readonly lastCall: string | null;
}

export interface ProcessStatus {
	readonly backend: string;
	readonly pid: number;
	readonly command: string;
	readonly state: string;
	readonly startedAt: string;
	readonly memoryBytes: number | null;
	readonly lastCall: string | null;
}

/** As texts by name, because that is what a health answer can carry. */
export function hubDetails(hub: Hub): Record<string, string> {
	const lastCall = (id: string): string | null => hub.lastCall(id)?.toISOString() ?? null;
	const backends: BackendStatus[] = hub.backends.map(({ id, kind, state }) => ({
		id,
		kind,
		state,
		lastCall: lastCall(id),
	}));
	const processes: ProcessStatus[] = hub.processes().map(({ backend, pid, command, state, startedAt }) => ({
		backend,
		pid,
		command,
		state,
		startedAt: startedAt.toISOString(),
		memoryBytes: memoryOf(pid),
		lastCall: lastCall(backend),
	}));
	return {
		backends: JSON.stringify(backends),
		processes: JSON.stringify(processes),
		memoryBytes: String(process.memoryUsage.rss()),
	};
}

/** Resident memory of a process; null when it cannot be told. */
function memoryOf(pid: number): number | null {
	try {
		if (process.platform === 'linux') {
			return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
		}
		return (
			Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8', timeout: 1000 })) *
			1024
		);
	} catch {
		return null; // it ended while we looked
	}
}
