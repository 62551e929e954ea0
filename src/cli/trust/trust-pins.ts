/* `mctl trust diff`, `accept` and `quarantine`: how the tools of MCP servers differ from what was accepted, and what to do about it. */

import { quarantineEdit } from '../../config/edit/entry-switches.ts';
import { loadConfiguration } from '../../config/load.ts';
import { acceptServer, pinnedEntries, type ServerDrift, serverDrifts } from '../../hub/server-drifts.ts';
import { serverFindings } from '../../hub/server-findings.ts';
import { describeDrift } from '../../hub/sources/mcp/tools/server-pins.ts';
import { printable } from '../../printable.ts';
import { abortable } from '../../rpc/abortable.ts';
import { type Command, jsonFlag, textFlag } from '../command.ts';
import { editFlags, fileWith, oneServer, reportEdit, warnIfUnused, writeEdit } from '../edit/edit-servers.ts';
import { exitCodes } from '../exit.ts';
import { printProblems, refuseUnused } from '../problem-lines.ts';
import { serverByName } from '../target/target-name.ts';
import { driftLines } from '../terminal/drift-view.ts';
import { blockedJson, reportBlocked } from '../trust-notice.ts';

export const trustDiff: Command = {
	usage: 'mctl trust diff [server] [--json]',
	examples: ['mctl trust diff', 'mctl trust diff github', "mctl trust diff --json | jq '.servers[].drifted'"],
	flags: { json: jsonFlag },
	args: [0, 1, 'one server'],

	async run({ args, flags, out, cwd, environment }) {
		const [name] = args;
		const { configuration, problems, blocked } = loadConfiguration({ cwd, environment });
		if (name === undefined) printProblems(problems, out);
		else refuseUnused(name, problems, configuration.mcpServers);
		const all = pinnedEntries(configuration, environment);
		const named = name === undefined ? undefined : serverByName(all, name, blocked);
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
		if (drifts.length > 0 && !isDifferent) out.info(summaryOf(drifts));
		if (drifts.length === 0 && blocked.length === 0) out.info('No MCP server is configured.');
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

export const trustAccept: Command = {
	usage: 'mctl trust accept <server> [--sha256 HASH] [--json]',
	examples: ['mctl trust diff github', 'mctl trust accept github'],
	flags: {
		sha256: { value: 'HASH', help: 'only if the tools still are those of this trust diff --json' },
		json: jsonFlag,
	},
	args: oneServer,

	async run(input) {
		const { flags, out, cwd, environment, signal } = input;
		const [name = ''] = input.args;
		const { configuration, problems, blocked } = loadConfiguration({ cwd, environment });
		refuseUnused(name, problems, configuration.mcpServers);
		const entry = serverByName(pinnedEntries(configuration, environment), name, blocked);
		const expected = textFlag(input, 'sha256');
		const { lockFile, sha256, drifted } = await abortable(
			// Another process may hold the pins for a while: Ctrl-C does not wait for it.
			() => acceptServer(entry, environment, expected),
			signal,
		);
		if (flags['json']) {
			const accepted = drifted.map(({ tool, kind }) => ({ tool, kind }));
			return out.json({ schema: 'orchestra.trust-accept/1', server: entry.name, lockFile, sha256, accepted });
		}
		const what = drifted.length === 0 ? 'nothing had changed' : describeDrift(drifted);
		out.line(printable(`Accepted the tools of ${entry.name} (${what}) in ${lockFile}`));
	},
};

export const trustQuarantine: Command = {
	usage: 'mctl trust quarantine <server> [-s project|user] [--json]',
	examples: ['mctl trust quarantine github', 'mctl trust quarantine github --scope user'],
	flags: editFlags,
	args: oneServer,

	async run(input) {
		const name = input.args[0] ?? '';
		const file = fileWith(name, input, trustQuarantine);
		const text = quarantineEdit(file, name);
		const edit = { name, file, change: 'quarantined', wasChanged: text !== undefined } as const;
		if (text === undefined)
			return reportEdit(input, edit, [`${name} has "pin": "quarantine" already in ${file.path}`]);
		await writeEdit(input, file, text);
		warnIfUnused(input, file);
		reportEdit(input, edit, [
			`Changed tools of ${name} are quarantined until you accept them (${file.path})`,
		]);
	},
};
