/* Ask for a yes before something is written. */
import { OrchestraError } from '../../errors.ts';
import { type CommandInput, canAskUser } from '../command.ts';
import { askLine } from './ask-line.ts';

/** Resolves when the answer is yes, or `--yes` was given. Throws `canceled` for a no, `bad_input` without a terminal. */
export async function confirm(prompt: string, input: CommandInput): Promise<void> {
	if (input.flags['yes'] === true) return;
	if (!canAskUser(input)) {
		throw new OrchestraError('bad_input', 'there is no terminal to ask on, so nothing was written', {
			hint: 'Look at it with --dry-run, then add --yes.',
		});
	}
	const answer = await askLine({ prompt: `${prompt} [y/N] `, help: 'Type y or n.', read: readAnswer }, input);
	if (answer !== true) throw new OrchestraError('canceled', 'nothing was written');
}

function readAnswer(line: string): boolean | 'wrong' {
	if (/^y(?:es)?$/i.test(line)) return true;
	return /^(?:no?)?$/i.test(line) ? false : 'wrong';
}
