/* `mctl doctor` about the tools of MCP servers: are they as they were accepted, is one left out, and is a text suspicious? */
import type { ServerEntry } from '../../config/configuration.ts';
import { pinnedEntries, type ServerDrift, serverDrifts } from '../../hub/server-drifts.ts';
import { serverFindings } from '../../hub/server-findings.ts';
import { LEFT_OUT_HINT, leftOutText } from '../../hub/sources/mcp/server-cache.ts';
import { overrideProblems } from '../../hub/sources/mcp/tools/override-problems.ts';
import { describeDrift } from '../../hub/sources/mcp/tools/server-pins.ts';
import { INSTRUCTIONS } from '../../hub/sources/mcp/tools/server-tools.ts';
import { describeFinding } from '../../trust/scan/scan-finding.ts';
import type { DoctorContext, DoctorFinding } from './doctor-checks.ts';

/** The findings of each server whose tools are known. */
export async function* inspectPins({ project, environment }: DoctorContext): AsyncGenerator<DoctorFinding> {
	const drifts = serverDrifts(pinnedEntries(project.configuration, environment), environment);
	const findings = serverFindings(drifts);
	for (const drift of drifts) {
		yield* driftFinding(drift);
		for (const finding of findings.get(drift.server) ?? [])
			yield suspicion(drift.server, describeFinding(finding));
	}
	yield* overrideFindings(drifts, project.configuration.mcpServers);
	const same = drifts.filter(({ state }) => state === 'same').length;
	if (same > 0)
		yield { verdict: 'ok', text: `pins: the tools of ${same} MCP servers are as they were accepted` };
}

/** The same as sentences, for a list. */
export function reviewLines(drifts: readonly ServerDrift[]): string[] {
	const findings = serverFindings(drifts);
	return drifts.flatMap((drift) => [
		...[...driftFinding(drift)].map(({ text, fix }) => (fix === undefined ? text : `${text}\nhint: ${fix}`)),
		...(findings.get(drift.server) ?? []).map(
			(finding) => `tool of ${drift.server}: ${describeFinding(finding)}`,
		),
	]);
}

function* driftFinding(drift: ServerDrift): Generator<DoctorFinding> {
	const { server, state, problem, missing, drifted, leftOut } = drift;
	for (const item of leftOut)
		yield { verdict: 'warn', text: `tool ${leftOutText(server, item)}`, fix: LEFT_OUT_HINT };
	if (problem) yield { verdict: 'warn', text: `pins of ${server}: ${problem.message}`, fix: problem.hint };
	if (missing !== undefined) {
		const fix = `Restore the file, or accept the tools of today: mctl trust accept ${server}`;
		yield { verdict: 'warn', text: `pins of ${server}: ${missing}`, fix };
	}
	if (state !== 'drifted') return;
	const text = `pins of ${server}: its tools are not as they were accepted (${describeDrift(drifted)})`;
	yield { verdict: 'warn', text, fix: `mctl trust diff ${server}, then mctl trust accept ${server}` };
}

/** Overrides that do not fit the tools of their server. */
function* overrideFindings(
	drifts: readonly ServerDrift[],
	servers: readonly ServerEntry[],
): Generator<DoctorFinding> {
	for (const { server, tools } of drifts) {
		const { overrides = {} } = servers.find(({ name }) => name === server)?.settings ?? {};
		const known = tools.filter(({ name }) => name !== INSTRUCTIONS);
		if (known.length === 0) continue;
		const fix = 'Correct the name in the file; the tool is left out until then.';
		for (const text of overrideProblems(overrides, known, server)) yield { verdict: 'fail', text, fix };
	}
}

function suspicion(server: string, text: string): DoctorFinding {
	const fix = `Read it with: mctl trust diff ${server}. Remove the server when you did not expect this.`;
	return { verdict: 'warn', text: `tool of ${server}: ${text}`, fix };
}
