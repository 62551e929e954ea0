/* `mctl trust diff`: how the tools of MCP servers differ from what was accepted, word by word. */
import { loadConfiguration } from '../../config/load.ts';
import { pinnedEntries, type ServerDrift, serverDrifts } from '../../hub/server-drifts.ts';
import { serverFindings } from '../../hub/server-findings.ts';
import { blockedJson, reportBlocked } from '../blocked-files.ts';
import { type Command, usageError } from '../command.ts';
import { exitCodes } from '../exit.ts';
import { printProblems, refuseUnused } from '../problem-lines.ts';
import { serverNamed } from '../target/server-named.ts';
import { driftLines } from '../terminal/drift-view.ts';

export const trustDiff: Command = {
	usage: 'mctl trust diff [server] [--json]',
	examples: ['mctl trust diff', 'mctl trust diff github', "mctl trust diff --json | jq '.servers[].drifted'"],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run({ args, flags, out, cwd, environment }) {
		const [name, ...rest] = args;
		if (rest.length > 0) throw usageError(trustDiff, `unexpected argument "${rest[0]}": name one server`);
		const { configuration, problems, blocked } = loadConfiguration({ cwd, environment });
		if (name === undefined) printProblems(problems, out);
		else refuseUnused(name, problems, configuration.mcpServers);
		const all = pinnedEntries(configuration, environment);
		const named = name === undefined ? undefined : serverNamed(all, name, blocked);
		const compared = serverDrifts(all, environment);
		const findings = serverFindings(compared);
		const drifts = compared.filter(({ server }) => named === undefined || server === named.name);
		const isDifferent = drifts.some(({ state }) => state === 'drifted' || state === 'broken');
		const code = isDifferent ? exitCodes.tool_failed : 0;
		if (flags['json']) {
			out.json({
				schema: 'orchestra.trust-diff/1',
				servers: drifts.map((drift) => jsonOf(drift, findings)),
				blocked: blockedJson(blocked),
			});
			return code;
		}
		for (const drift of drifts) {
			for (const line of driftLines(drift, findings.get(drift.server) ?? [], out)) out.line(line);
		}
		reportBlocked(blocked, out);
		if (drifts.length > 0 && !isDifferent) out.note(summaryOf(drifts));
		if (drifts.length === 0 && blocked.length === 0) out.note('No MCP server is configured.');
		return code;
	},
};

function jsonOf(
	{ tools, problem, ...drift }: ServerDrift,
	findings: ReturnType<typeof serverFindings>,
): object {
	const suspicious = findings.get(drift.server) ?? [];
	return { ...drift, problem: problem?.message ?? null, toolCount: tools.length, findings: suspicious };
}

function summaryOf(drifts: readonly ServerDrift[]): string {
	const count = (state: ServerDrift['state']): number => drifts.filter((each) => each.state === state).length;
	const others = [
		...(count('unpinned') > 0 ? [`${count('unpinned')} without pins`] : []),
		...(count('unknown') > 0 ? [`${count('unknown')} never started`] : []),
		...(count('too_large') > 0 ? [`${count('too_large')} too large`] : []),
	];
	return `No tool differs from what was accepted (${[`${count('same')} compared`, ...others].join(', ')}).`;
}
