/* The tools of a server that are not as they were accepted, for a user to decide. */
import { OrchestraError } from '../../errors.ts';
import {
	acceptServer,
	type ComparedEntry,
	pinnedEntries,
	type ServerDrift,
	serverDrifts,
} from '../../hub/server-drifts.ts';
import { describeFinding } from '../../trust/scan/scan-finding.ts';
import { scanTools } from '../../trust/scan/scan-tools.ts';
import type { DriftRow, ServerPage } from '../api/api-catalogue.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

const changes = { new: 'added', removed: 'removed', changed: 'changed' } as const;

type Deps = Pick<DashboardDeps, 'opened' | 'environment'>;

/** The tools that differ, and the hash of the current definitions. */
export function driftsOf(id: string, deps: Deps): Pick<ServerPage, 'drift' | 'driftSha256'> {
	const entry = entryOf(id, deps);
	const [found] = entry === undefined ? [] : serverDrifts([entry], deps.environment);
	if (found === undefined) return { drift: [], driftSha256: null };
	return { drift: rowsOf(found), driftSha256: found.state === 'drifted' ? (found.sha256 ?? null) : null };
}

/** Accept the current definitions. With `expected`, the hash that the page showed, anything newer is refused. */
export async function acceptDrifts(id: string, expected: string | undefined, deps: Deps): Promise<void> {
	const entry = entryOf(id, deps);
	if (entry === undefined)
		throw new OrchestraError('not_found', `${id} is no MCP server of the configuration`, {
			hint: 'mctl trust diff shows the servers whose tools are compared.',
		});
	await acceptServer(entry, deps.environment, expected);
}

function entryOf(id: string, { opened, environment }: Deps): ComparedEntry | undefined {
	return pinnedEntries(opened.configuration(), environment).find(({ name }) => name === id);
}

/** A row for each part that differs; one without strings when nothing of them is known. */
function rowsOf({ server, drifted }: ServerDrift): DriftRow[] {
	return drifted.flatMap(({ tool, kind, isQuarantined, after: definition, parts }) => {
		const findings = definition ? scanTools({ server, tools: [definition] }) : [];
		const shown = parts.length > 0 ? parts : [{ part: null, before: undefined, after: undefined }];
		return shown.map(({ part, before, after }) => ({
			kind: 'tool',
			name: tool,
			change: changes[kind],
			part,
			before: before ?? null,
			after: after ?? null,
			isQuarantined,
			findings: findings.filter(({ where }) => part === null || where.startsWith(part)).map(describeFinding),
		}));
	});
}
