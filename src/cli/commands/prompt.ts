/* `mctl prompt`: the text of a prompt with its arguments filled in, ready to paste or pipe. */
import { OrchestraError } from '../../errors.ts';
import type { Library } from '../../library/library.ts';
import { type Command, usageError } from '../command.ts';
import { nearest } from '../nearest.ts';
import { libraryFlags, withLibrary } from '../open-library.ts';
import { renderMarkdown } from '../terminal/markdown-terminal.ts';

export const prompt: Command = {
	usage: 'mctl prompt <name> [key=value…] [--json]',
	examples: [
		'mctl prompt explain-failure error="connection refused"',
		'mctl prompt review-change diff="$(git diff)" focus=security',
		'mctl prompt plan-change goal="faster start" --json',
	],
	flags: libraryFlags,

	async run(input) {
		const [name, ...pairs] = input.words;
		if (name === undefined) throw usageError(prompt, 'mctl prompt needs the name of a prompt');
		const given = readPairs(pairs);
		const { out, flags } = input;
		const { description, messages } = await withLibrary(input, (library) => getOrHint(library, name, given));
		if (flags['json']) return out.json({ schema: 'orchestra.prompt/1', name, description, messages });
		const text = messages.map(({ content }) => content.text).join('\n');
		if (out.isTerminal) out.line(renderMarkdown(text, (...words) => out.style(...words), out.width));
		else await out.write(text.endsWith('\n') ? text : `${text}\n`);
	},
};

/** Split at the first `=`; the value is taken as it is. */
function readPairs(pairs: readonly string[]): Record<string, string> {
	const given = new Map<string, string>();
	for (const pair of pairs) {
		const at = pair.indexOf('=');
		if (at < 1) throw usageError(prompt, `arguments are written key=value, not "${pair}"`);
		given.set(pair.slice(0, at), pair.slice(at + 1));
	}
	return Object.fromEntries(given);
}

async function getOrHint(
	library: Library,
	name: string,
	given: Record<string, string>,
): ReturnType<Library['getPrompt']> {
	try {
		return await library.getPrompt(name, given);
	} catch (error) {
		if (!OrchestraError.is(error, 'not_found')) throw error;
		const names = (await library.listPrompts()).map((known) => known.name);
		const [guess] = nearest(name, names);
		const hint =
			guess === undefined
				? `there are: ${names.slice(0, 20).join(', ') || 'none'}`
				: `did you mean: mctl prompt ${guess}`;
		throw new OrchestraError('not_found', error.message, { hint, data: error.data });
	}
}
