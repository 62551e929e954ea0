/*
 * `mctl prompt`: the text of a prompt with its arguments filled in, ready to paste or pipe.
 * Prompts of the library come first; plugins and MCP servers are searched for any other.
 */

import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import type { Library } from '../../library/library.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import { listAll, mayHaveMore, textField } from '../hub-client/hub-items.ts';
import type { HubSession, NeededSources } from '../hub-client/with-hub.ts';
import { libraryFlags, withLibrary } from '../open-library.ts';
import { neededFor } from '../target/call-target.ts';
import { contentText } from '../terminal/content-text.ts';
import { renderMarkdown } from '../terminal/markdown-terminal.ts';

export const prompt: Command = {
	usage: 'mctl prompt <name> [key=value…] [--json]',
	examples: [
		'mctl prompt explain-failure error="connection refused"',
		'mctl prompt review-change diff="$(git diff)" focus=security',
		'mctl prompt plan-change goal="faster start" --json',
	],
	flags: libraryFlags,
	args: [1, Number.POSITIVE_INFINITY, 'the name of a prompt'],

	async run(input) {
		const [name = '', ...pairs] = input.args;
		const given = readPairs(pairs);
		const { out, flags } = input;
		const { description, messages } = await getPrompt(name, given, input);
		if (flags['json']) return out.json({ schema: 'orchestra.prompt/1', name, description, messages });
		const text = messages.map(({ content }) => contentText(content)).join('\n');
		if (out.isTerminal) out.line(renderMarkdown(text, (...args) => out.style(...args), out.width));
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

interface FilledPrompt {
	readonly description?: unknown;
	readonly messages: readonly { readonly content: unknown }[];
}

async function getPrompt(
	name: string,
	given: Record<string, string>,
	input: CommandInput,
): Promise<FilledPrompt> {
	const { configuration } = loadConfiguration(input);
	const isMore = mayHaveMore(configuration);
	try {
		return await withLibrary(input, (library) => getOrHint(library, name, given));
	} catch (error) {
		if (!OrchestraError.is(error, 'not_found') || !isMore) throw error;
		return getFromHub({ name, given, needs: neededFor(name, configuration) }, input);
	}
}

async function getFromHub(
	{ name, given, needs }: { name: string; given: Record<string, string>; needs: NeededSources | undefined },
	input: CommandInput,
): Promise<FilledPrompt> {
	const { withHub, startOnlyServer } = await import('../hub-client/with-hub.ts');
	const ask = async (session: HubSession): Promise<FilledPrompt> => {
		const names = (await listAll(session, 'prompts')).map((each) => textField(each, 'name'));
		if (!names.includes(name)) await startOnlyServer(session, needs);
		if (!names.includes(name)) throw unknownPrompt(name, names, `there is no prompt "${name}"`);
		const timeoutMs = Number.POSITIVE_INFINITY; // the hub has a deadline of its own
		const result = await session.request('prompts/get', { name, arguments: given }, { timeoutMs });
		// The hub answers in the shape of MCP.
		return result as object as FilledPrompt;
	};
	try {
		return await withHub(input, ask, { listWaitMs: COMMAND_START_WAIT_MS, needs });
	} catch (thrown) {
		throw errorOfHub(thrown);
	}
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
		throw unknownPrompt(name, names, error.message);
	}
}

function unknownPrompt(name: string, names: readonly string[], message: string): OrchestraError {
	const guesses = nearest(name, names, 1).map((guess) => `mctl prompt ${guess}`);
	const hint = didYouMean(guesses, `there are: ${names.slice(0, 20).join(', ') || 'none'}`);
	return new OrchestraError('not_found', message, { hint, data: { name } });
}
