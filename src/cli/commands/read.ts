/* `mctl read`: one resource of the library, rendered for a person or as it is for a pipe. */
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { StorageBackend } from '../../hub/backends/storage-backend.ts';
import { FileStorage } from '../../hub/storage/file-storage.ts';
import type { Library } from '../../library/library.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { nearest } from '../nearest.ts';
import { libraryFlags, withLibrary } from '../open-library.ts';
import { renderMarkdown } from '../terminal/markdown-terminal.ts';

const STORAGE_SCHEME = 'orchestra://';

export const read: Command = {
	usage: 'mctl read <uri> [--json]',
	examples: [
		'mctl read orchestr8://registry',
		'mctl read orchestr8://guides/first-tool',
		'mctl read orchestra://notes/standup',
		"mctl read 'orchestr8://match?query=server+hangs&mode=full&maxTokens=1000'",
	],
	flags: libraryFlags,

	async run(input) {
		const [uri, ...rest] = input.words;
		if (uri === undefined || rest.length > 0) throw usageError(read, 'mctl read needs one URI');
		const { out, flags } = input;
		const { contents } = uri.startsWith(STORAGE_SCHEME)
			? await readStored(input, uri)
			: await withLibrary(input, (library) => readOrHint(library, uri));
		if (flags['json']) return out.json({ schema: 'orchestra.read/1', contents });
		for (const { mimeType, text } of contents) {
			const isMarkdown = mimeType === 'text/markdown';
			if (out.isTerminal && isMarkdown)
				out.line(renderMarkdown(text, (...words) => out.style(...words), out.width));
			else out.foreign(text.endsWith('\n') ? text.slice(0, -1) : text);
		}
	},
};

/** What plugins keep in the workspace: `orchestra://notes/<id>` and the like. */
async function readStored(
	{ environment }: Pick<CommandInput, 'environment'>,
	uri: string,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment });
	const { contents } = await new StorageBackend(new FileStorage(configuration.root)).readResource(uri);
	return {
		contents: contents.map(({ mimeType, text }) => ({ uri, mimeType: String(mimeType), text: String(text) })),
	};
}

async function readOrHint(library: Library, uri: string): ReturnType<Library['readResource']> {
	try {
		return await library.readResource(uri);
	} catch (error) {
		if (!OrchestraError.is(error, 'not_found')) throw error;
		const [guess] = nearest(
			uri,
			(await library.listResources()).map((resource) => resource.uri),
		);
		const hint =
			guess === undefined ? 'mctl find "<words>" searches the library' : `did you mean: mctl read ${guess}`;
		throw new OrchestraError('not_found', error.message, { hint, data: error.data });
	}
}
