/* `mctl hub logs`: the log or journal of the shared hub. */
import { OrchestraError } from '../../errors.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { type Command, numberFlag, refuseWords } from '../command.ts';
import { hubFolderHere } from '../hub-location.ts';

const DEFAULT_LINES = 50;
/** Logs begin anew at 8 MiB; a crash may leave a little more. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

export const hubLogs: Command = {
	usage: 'mctl hub logs [--lines N] [--journal]',
	examples: [
		'mctl hub logs',
		'mctl hub logs --lines 200',
		'mctl hub logs --journal | jq \'select(.outcome != "ok")\'',
	],
	flags: {
		lines: { type: 'string', value: 'N', help: `how many lines (default ${DEFAULT_LINES})` },
		journal: { type: 'boolean', help: 'the journal: one JSON object for each call' },
	},

	async run(input) {
		refuseWords(input, hubLogs);
		const folder = hubFolderHere(input.environment);
		const file = input.flags['journal'] ? folder.journalFile : folder.logFile;
		const count = numberFlag(input, hubLogs, 'lines') ?? DEFAULT_LINES;
		folder.assertPrivate();
		const text = readLog(file, input.flags['journal'] === true);
		if (text.trim() === '') return input.out.note(`mctl: ${nothingYet(input.flags['journal'] === true)}`);
		const lines = text.trimEnd().split('\n');
		if (count > 0) input.out.foreign(lines.slice(-count).join('\n'));
	},
};

function nothingYet(isJournal: boolean): string {
	return isJournal
		? 'no calls recorded yet by the hub of this folder'
		: 'the hub of this folder has logged nothing yet';
}

function readLog(file: string, isJournal: boolean): string {
	try {
		return readRegularText(file, LOG_LIMIT_BYTES);
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		throw new OrchestraError('not_found', nothingYet(isJournal), {
			hint: 'mctl hub start starts the hub; mctl hub status shows whether it runs.',
			data: { file },
		});
	}
}
