/* Details of a running hub for `mctl hub status` and `mctl hub ps`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { heldBackText } from '../../config/trust/held-back.ts';
import { sharedGuard } from '../../process/guard.ts';
import { redactJson } from '../../redact.ts';
import type { OwnedProcess, ServerStatus } from '../backends/backend.ts';
import type { OpenedHub } from '../open-hub.ts';

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

/** An MCP server of a hub that runs. */
export interface ServerDetails extends ServerStatus {
	/** Resident memory of its process; null when none runs. */
	readonly memoryBytes: number | null;
}

/** As strings by name: the form of a health response. Without secrets, which errors and command lines may have. */
export function hubDetails(
	{ hub, loaded }: Pick<OpenedHub, 'hub' | 'loaded'>,
	clients: number,
): Record<string, string> {
	const lastCall = (id: string): string | null => hub.lastCall(id)?.toISOString() ?? null;
	const backends: BackendStatus[] = hub.backends.map(({ id, kind, state }) => ({
		id,
		kind,
		state,
		lastCall: lastCall(id),
	}));
	const owned = [...hub.processes(), ...guardProcess()];
	const processes: ProcessStatus[] = owned.map(({ startedAt, ...about }) => ({
		...about,
		startedAt: startedAt.toISOString(),
		memoryBytes: memoryOf(about.pid),
		lastCall: lastCall(about.backend),
	}));
	const servers: ServerDetails[] = hub.backends.flatMap((backend) => {
		const status = backend.serverStatus?.();
		if (status === undefined) return [];
		return [{ ...status, memoryBytes: status.pid === null ? null : memoryOf(status.pid) }];
	});
	return {
		backends: JSON.stringify(redactJson(backends)),
		servers: JSON.stringify(redactJson(servers)),
		processes: JSON.stringify(redactJson(processes)),
		heldBack: JSON.stringify(redactJson(loaded().heldBack.map(heldBackText))),
		clients: String(clients),
		memoryBytes: String(process.memoryUsage.rss()),
	};
}

/** The process that ends the others if the hub is killed. It ends by itself, so it is not saved. */
function guardProcess(): OwnedProcess[] {
	const { pid, startedAt } = sharedGuard();
	return pid === undefined ? [] : [{ backend: 'hub', pid, command: 'guard', startedAt, state: 'running' }];
}

/** Resident memory of a process in bytes; null when it is unknown. */
export function memoryOf(pid: number): number | null {
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
