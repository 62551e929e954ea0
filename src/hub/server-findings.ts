/* What a scan finds in the tools of MCP servers, as they were listed last. */
import { type ScanFinding } from '../trust/scan/scan-finding.ts';
import { scanTools } from '../trust/scan/scan-tools.ts';
import type { ServerDrift } from './server-drifts.ts';

/** The findings of each server, by its name. The servers are those of one configuration: names are compared. */
export function serverFindings(drifts: readonly ServerDrift[]): ReadonlyMap<string, readonly ScanFinding[]> {
	return new Map(
		drifts.map((drift) => {
			const others = drifts.filter((each) => each !== drift);
			return [drift.server, scanTools(drift, others)];
		}),
	);
}
