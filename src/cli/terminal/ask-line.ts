/* Ask for one line on the terminal until it is right, or for a yes before something is written. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { OrchestraError } from '../../errors.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { ANSWER_TRIES_LIMIT } from '../cli-limits.ts';
import { type CommandInput, canAskUser } from '../command.ts';
import type { Output } from './output.ts';

export interface AskOptions {
	readonly out: Output;
	readonly stdin: () => Readable;
	readonly signal: AbortSignal;
}

interface LinePrompt<T> {
	readonly prompt: string;
	/** The value of a trimmed line. */
	readonly read: (line: string) => T | 'wrong';
	/** Shown after a wrong line. */
	readonly help: string;
	/** Do not show what is typed. */
	readonly isHidden?: boolean | undefined;
}

/** The first answer that is right; undefined when the input ends, or after too many wrong ones. */
export async function askLine<T>(
	{ prompt, read, help, isHidden = false }: LinePrompt<T>,
	{ out, stdin, signal }: AskOptions,
): Promise<T | undefined> {
	// In line mode the terminal itself shows what is typed; in raw mode the reader does, to an output that shows nothing.
	const input = stdin();
	const reader = isHidden
		? createInterface({ input, output: nowhere(), terminal: true, historySize: 0 })
		: createInterface({ input, terminal: false });
	let isInterrupted = false;
	// In raw mode Ctrl-C is a character.
	reader.on('SIGINT', () => {
		isInterrupted = true;
		reader.close();
	});
	const stopListening = onAbort(signal, () => reader.close());
	try {
		out.live(prompt);
		let tries = 0;
		for await (const line of reader) {
			if (isHidden) out.live('\n');
			const answer = read(line.trim());
			if (answer !== 'wrong') return answer;
			if (++tries >= ANSWER_TRIES_LIMIT) break;
			out.info(help);
			out.live(prompt);
		}
		if (isInterrupted) throw new OrchestraError('canceled', 'interrupted by Ctrl-C');
		if (signal.aborted) throw OrchestraError.from(signal.reason, 'canceled');
		return undefined;
	} finally {
		stopListening();
		reader.close();
	}
}

function nowhere(): Writable {
	return new Writable({ write: (_chunk, _encoding, done) => done() });
}

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
