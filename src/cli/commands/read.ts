/*
 * `mctl read`: one resource of the library, the storage, a plugin or an MCP server, rendered
 * for a user or as it is for a pipe.
 */

import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { StorageSource } from '../../hub/sources/storage-source.ts';
import { FileStorage } from '../../hub/storage/file-storage.ts';
import type { Library } from '../../library/library.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import type { Command, CommandInput } from '../command.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import { listAll, mayHaveMore, textField } from '../hub-client/hub-items.ts';
import type { HubSession } from '../hub-client/with-hub.ts';
import { libraryFlags, withLibrary } from '../open-library.ts';
import { binaryOf, contentText } from '../terminal/content-text.ts';
import { renderMarkdown } from '../terminal/markdown-terminal.ts';
import { showBytes } from '../terminal/show-bytes.ts';

const STORAGE_SCHEME = 'orchestra://';
const LIBRARY_SCHEME = 'orchestr8://';
/** The codes of a resource that does not exist, in the newer and the older revisions. */
const notFoundCodes: readonly number[] = [-32_602, -32_002];

export const read: Command = {
	usage: 'mctl read <uri> [--json]',
	examples: [
		'mctl read orchestr8://registry',
		'mctl read orchestr8://guides/first-tool',
		'mctl read orchestra://notes/standup',
		"mctl read 'orchestr8://match?query=server+hangs&mode=full&maxTokens=1000'",
	],
	flags: libraryFlags,
	args: [1, 1, 'one URI'],

	async run(input) {
		const [uri = ''] = input.args;
		const { out, flags } = input;
		const contents = await readContents(uri, input);
		if (flags['json']) return out.json({ schema: 'orchestra.read/1', contents });
		for (const content of contents) await print(content, input);
	},
};

async function readContents(uri: string, input: CommandInput): Promise<readonly unknown[]> {
	if (uri.startsWith(STORAGE_SCHEME)) return (await readStored(input, uri)).contents;
	const { configuration } = loadConfiguration(input);
	if (uri.startsWith(LIBRARY_SCHEME) || !mayHaveMore(configuration)) {
		return (await withLibrary(input, (library) => readOrHint(library, uri))).contents;
	}
	return readFromHub(uri, input);
}

async function readFromHub(uri: string, input: CommandInput): Promise<readonly unknown[]> {
	const { withHub } = await import('../hub-client/with-hub.ts');
	const ask = async (session: HubSession): Promise<readonly unknown[]> => {
		try {
			const timeoutMs = Number.POSITIVE_INFINITY; // the hub has a deadline of its own
			const { contents } = await session.request('resources/read', { uri }, { timeoutMs });
			return Array.isArray(contents) ? contents : [];
		} catch (thrown) {
			if (!notFoundCodes.includes(rpcErrorOf(thrown)?.code ?? 0)) throw errorOfHub(thrown);
			const uris = (await listAll(session, 'resources')).map((each) => textField(each, 'uri'));
			if (uris.includes(uri)) throw errorOfHub(thrown);
			throw unknownResource(uri, uris, `there is no resource ${uri}`);
		}
	};
	return withHub(input, ask, { listWaitMs: COMMAND_START_WAIT_MS });
}

/** Bytes go to a pipe as they are; on a terminal they are drawn or saved. */
async function print(content: unknown, { out, environment }: CommandInput): Promise<void> {
	const binary = binaryOf(content);
	if (binary && !out.isTerminal) return out.write(binary.bytes);
	if (showBytes(content, out, environment)) return;
	const text = contentText(content);
	const isMarkdown = isObject(content) && content['mimeType'] === 'text/markdown';
	if (out.isTerminal && isMarkdown) {
		out.line(renderMarkdown(text, (...args) => out.style(...args), out.width));
	} else out.foreign(text.endsWith('\n') ? text.slice(0, -1) : text);
}

/** The files that plugins store in the workspace: `orchestra://notes/<id>` and the like. */
async function readStored(
	{ cwd, environment }: Pick<CommandInput, 'cwd' | 'environment'>,
	uri: string,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
	const { configuration } = loadConfiguration({ cwd, environment });
	const { contents } = await new StorageSource(async () => new FileStorage(configuration.root)).read(uri);
	return {
		contents: contents.map(({ mimeType, text }) => ({ uri, mimeType: String(mimeType), text: String(text) })),
	};
}

async function readOrHint(library: Library, uri: string): ReturnType<Library['readResource']> {
	try {
		return await library.readResource(uri);
	} catch (error) {
		if (!OrchestraError.is(error, 'not_found')) throw error;
		const uris = (await library.listResources()).map((resource) => resource.uri);
		throw unknownResource(uri, uris, error.message);
	}
}

function unknownResource(uri: string, uris: readonly string[], message: string): OrchestraError {
	const guesses = nearest(uri, uris, 1).map((guess) => `mctl read ${guess}`);
	const hint = didYouMean(guesses, 'mctl find "<words>" searches the library; mctl list resources shows all');
	return new OrchestraError('not_found', message, { hint, data: { uri } });
}
