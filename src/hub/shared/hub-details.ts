/* Details of a running hub for `mctl hub status` and `mctl hub ps`. */
import { readFileSync } from 'node:fs';
import { blockedText } from '../../config/trust/blocked.ts';
import { attempt } from '../../errors.ts';
import { sharedGuard } from '../../process/guard/guard.ts';
import { redactJson } from '../../redact.ts';
import { fabricFacts } from '../fabric-facts.ts';
import type { WorkerOverview } from '../fabric-overview.ts';
import type { OpenedHub } from '../open-hub.ts';
import { able } from '../source.ts';
import { type OwnedProcess, reportOf, type SourceReport } from '../source-status.ts';
import { fieldFromPs } from './process-identity.ts';
import { HUB_STATUS_LINES, MEMORY_PAGE_BYTES } from './shared-limits.ts';

/** A source of a hub that runs. */
export interface HubSourceStatus extends SourceReport {
	readonly lastCall: string | null;
	/** The last lines of its stderr. */
	readonly lastLines: readonly string[];
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

/** The details as strings by name: the form of a health response. Without secrets, which errors and command lines may have. */
export function hubDetails(
	{ hub, loaded }: Pick<OpenedHub, 'hub' | 'loaded'>,
	worker: WorkerOverview | undefined,
): Record<string, string> {
	const lastCall = (id: string): string | null => hub.calls.lastCall(id)?.toISOString() ?? null;
	const sources = hub.sources.map((source): HubSourceStatus => {
		const lastLines = able(source, 'control')?.lines().lastErrors(HUB_STATUS_LINES) ?? [];
		return { ...reportOf(source, memoryOf), lastCall: lastCall(source.id), lastLines };
	});
	const owned = [...hub.processes(), ...guardProcess()];
	const processes: ProcessStatus[] = owned.map(({ startedAt, ...about }) => ({
		...about,
		startedAt: startedAt.toISOString(),
		memoryBytes: memoryOf(about.pid),
		lastCall: lastCall(about.backend),
	}));
	// The page is a client only for its own calls.
	const clients = hub.clients.list().filter(({ transport }) => transport !== 'dashboard');
	return {
		backends: JSON.stringify(redactJson(sources)),
		servers: JSON.stringify(redactJson(sources.filter(({ kind }) => kind === 'mcp'))),
		processes: JSON.stringify(redactJson(processes)),
		blocked: JSON.stringify(redactJson(loaded().blocked.map(blockedText))),
		fabric: JSON.stringify(redactJson(fabricFacts(hub, worker))),
		clients: String(clients.length),
		memoryBytes: String(process.memoryUsage.rss()),
	};
}

/** The process that ends the others if the hub is killed. It ends by itself, so it is not saved. */
function guardProcess(): OwnedProcess[] {
	const { pid, startedAt } = sharedGuard();
	return pid === undefined ? [] : [{ backend: 'hub', pid, command: 'guard', startedAt, state: 'ready' }];
}

/** Resident memory of a process in bytes; null when it is unknown. */
export function memoryOf(pid: number): number | null {
	// It may end while we look.
	return attempt(() => {
		if (process.platform === 'linux') {
			return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * MEMORY_PAGE_BYTES;
		}
		const kibibytes = fieldFromPs(pid, 'rss');
		return kibibytes === undefined ? null : Number(kibibytes) * 1024;
	}, null);
}
