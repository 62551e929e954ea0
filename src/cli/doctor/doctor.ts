/* `mctl doctor`: is everything here that the project needs? */
import { OrchestraError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import { type Command, jsonFlag } from '../command.ts';
import { openProject } from '../target/project.ts';
import { verdictMark } from '../terminal/verdict.ts';
import { type DoctorFinding, doctorChecks } from './doctor-checks.ts';

export const doctor: Command = {
	usage: 'mctl doctor [--check] [--json]',
	examples: [
		'mctl doctor',
		'mctl doctor --check',
		'mctl doctor --json | jq \'.checks[] | select(.verdict == "fail")\'',
	],
	flags: {
		check: { help: 'start each MCP server once, and contact the remote ones' },
		json: jsonFlag,
	},

	async run({ flags, out, cwd, environment, signal }) {
		const contacts = flags['check'] === true;
		const context = { project: openProject({ cwd, environment }), cwd, environment, contacts, signal };
		const checks: DoctorFinding[] = [];
		for (const look of doctorChecks) {
			for await (const found of look(context)) {
				signal.throwIfAborted();
				checks.push(found);
				if (flags['json']) continue;
				out.line(`${verdictMark(out, found.verdict)} ${printable(found.text)}`);
				if (found.verdict !== 'ok' && found.fix !== undefined) out.line(`       → ${printable(found.fix)}`);
			}
		}
		const failures = checks.filter(({ verdict }) => verdict === 'fail').length;
		if (flags['json']) out.json({ schema: 'orchestra.doctor/1', ok: failures === 0, checks });
		if (failures === 0) return;
		const what = failures === 1 ? 'one check failed' : `${failures} checks failed`;
		throw new OrchestraError('tool_failed', what, { hint: 'Each [FAIL] line above says how to fix it.' });
	},
};
