/* `mctl log verify`: whether lines of the journal were changed, removed, reordered or cut. */
import { OrchestraError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import { readChainHead } from '../../trust/chain-file.ts';
import { verifyChain } from '../../trust/verify-chain.ts';
import { type Command, refuseArgs } from '../command.ts';
import { journalName, journalsHere, readJournal } from './journal-lines.ts';

export const logVerify: Command = {
	usage: 'mctl log verify [--json]',
	examples: ['mctl log verify', 'mctl log verify --json | jq .findings'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, logVerify);
		const { flags, out, cwd, environment } = input;
		const reports = journalsHere({ cwd, environment }).map((file) =>
			verifyChain(readJournal(file), readChainHead(file), journalName(file)),
		);
		const lines = reports.reduce((sum, report) => sum + report.lines, 0);
		const findings = reports.flatMap((report) => report.findings);
		const notes = reports.flatMap((report) => report.notes);
		if (flags['json']) out.json({ schema: 'orchestra.log-verify/1', lines, findings, notes });
		else {
			for (const { kind, message } of findings) out.line(printable(`${kind}: ${message}`));
			for (const note of notes) out.line(printable(`note: ${note}`));
			if (findings.length === 0)
				out.line(`${lines} ${lines === 1 ? 'line' : 'lines'}, none changed or missing.`);
		}
		if (findings.length === 0) return;
		const places = findings.length === 1 ? '1 damaged place' : `${findings.length} damaged places`;
		throw new OrchestraError('tool_failed', `the journal has ${places}`, {
			hint: 'Compare it with a backup; new lines continue the chain all the same.',
		});
	},
};
