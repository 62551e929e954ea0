/* The tools of a server that are not as they were accepted, for a user to decide. */
import { OrchestraError } from '../../errors.ts';
import {
	acceptServer,
	type ComparedEntry,
	pinnedEntries,
	type ServerDrift,
	serverDrifts,
	type ToolDrift,
} from '../../hub/server-drifts.ts';
import { describeFinding } from '../../trust/scan/scan-finding.ts';
import { scanTools } from '../../trust/scan/scan-tools.ts';
import type { DriftRow } from '../api/api-catalogue.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

const changes = { new: 'added', removed: 'removed', changed: 'changed' } as const;

export class PinDrifts {
	readonly #deps: Pick<DashboardDeps, 'opened' | 'environment'>;

	constructor(deps: Pick<DashboardDeps, 'opened' | 'environment'>) {
		this.#deps = deps;
	}

	/** The tools that differ, and the hash of the current definitions. */
	of(id: string): { drift: DriftRow[]; driftSha256: string | null } {
		const entry = this.#entryOf(id);
		const [found] = entry === undefined ? [] : serverDrifts([entry], this.#deps.environment);
		if (found === undefined) return { drift: [], driftSha256: null };
		return { drift: rowsOf(found), driftSha256: found.state === 'drifted' ? (found.sha256 ?? null) : null };
	}

	/** Accept the current definitions. With `expected`, the hash that the page showed, anything newer is refused. */
	async accept(id: string, expected: string | undefined): Promise<void> {
		const entry = this.#entryOf(id);
		if (entry === undefined)
			throw new OrchestraError('not_found', `${id} is no MCP server of the configuration`, {
				hint: 'mctl trust diff shows the servers whose tools are compared.',
			});
		await acceptServer(entry, this.#deps.environment, expected);
	}

	#entryOf(id: string): ComparedEntry | undefined {
		const { opened, environment } = this.#deps;
		return pinnedEntries(opened.configuration(), environment).find(({ name }) => name === id);
	}
}

/** A row for each part that differs; one without strings when nothing of them is known. */
function rowsOf({ server, drifted }: ServerDrift): DriftRow[] {
	return drifted.flatMap((drift) => {
		const findings = drift.after ? scanTools({ server, tools: [drift.after] }) : [];
		const parts =
			drift.parts.length > 0 ? drift.parts : [{ part: null, before: undefined, after: undefined }];
		return parts.map(({ part, before, after }) => ({
			...row(drift, { part, before, after }),
			findings: findings.filter(({ where }) => part === null || where.startsWith(part)).map(describeFinding),
		}));
	});
}

function row(
	{ tool, kind, isQuarantined }: ToolDrift,
	{ part, before, after }: { part: string | null; before: string | undefined; after: string | undefined },
): Omit<DriftRow, 'findings'> {
	return {
		kind: 'tool',
		name: tool,
		change: changes[kind],
		part,
		before: before ?? null,
		after: after ?? null,
		isQuarantined,
	};
}
