/* `mctl hub logs`: the log or journal of the shared hub, or the stderr of one MCP server. */
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { serverLogPath } from '../../hub/sources/mcp/server-files.ts';
import { printable } from '../../printable.ts';
import { LOG_READ_LIMIT_BYTES } from '../cli-limits.ts';
import { type Command, type CommandInput, numberFlag, usageError } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { followFile } from '../log/follow-file.ts';
import { serverByName } from '../target/target-name.ts';

const DEFAULT_LINES = 50;

export const hubLogs: Command = {
	usage: 'mctl hub logs [<server>] [-f] [-n N] [--journal] [--json]',
	examples: [
		'mctl hub logs',
		'mctl hub logs files -f',
		'mctl hub logs -n 200',
		'mctl hub logs --journal | jq \'select(.outcome != "ok")\'',
	],
	flags: {
		follow: { short: 'f', help: 'go on with new lines, until Ctrl-C' },
		lines: { short: 'n', value: 'N', help: `how many lines (default ${DEFAULT_LINES})` },
		journal: { help: 'the journal: one JSON object for each call' },
		json: { help: 'print one JSON object on stdout; not with --follow' },
	},
	args: [0, 1, 'one server'],

	async run(input) {
		const source = sourceOf(input);
		const count = numberFlag(input, hubLogs, 'lines') ?? DEFAULT_LINES;
		const follows = input.flags['follow'] === true;
		const asJson = input.flags['json'] === true;
		if (follows && asJson) throw usageError(hubLogs, '--json has an end, so it excludes --follow');
		const bytes = readLog(source, follows);
		// A line that is not complete yet is shown with its rest.
		const complete = follows ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes;
		const text = complete.toString('utf8').trimEnd();
		if (asJson)
			return input.out.json({
				schema: 'orchestra.hub-logs/1',
				file: source.file,
				lines: lastLines(text, count),
			});
		if (text === '' && !follows) return input.out.info(`mctl: ${printable(source.nothingYet)}`);
		if (count > 0 && text !== '') input.out.foreign(lastLines(text, count).join('\n'));
		if (follows) await follow(source.file, complete.length, input);
	},
};

function lastLines(text: string, count: number): string[] {
	return text === '' || count === 0 ? [] : text.split('\n').slice(-count);
}

interface LogSource {
	readonly file: string;
	/** The message when it is empty. */
	readonly nothingYet: string;
	/** The hint when there is no file. */
	readonly hint: string;
}

function sourceOf({ args, flags, cwd, environment }: CommandInput): LogSource {
	const folder = hubFolderHere({ cwd, environment });
	folder.assertPrivate();
	const [named] = args;
	const hint = 'mctl hub start starts the hub; mctl hub status shows whether it runs.';
	if (named === undefined) {
		return flags['journal']
			? { file: folder.journalFile, nothingYet: 'no calls recorded yet by the hub of this folder', hint }
			: { file: folder.logFile, nothingYet: 'the hub of this folder has logged nothing yet', hint };
	}
	if (flags['journal']) throw usageError(hubLogs, '--journal is of the whole hub, so it takes no server');
	const { configuration, blocked } = loadConfiguration({ cwd, environment });
	const { name: server } = serverByName(configuration.mcpServers, named, blocked);
	// The state folder of the hub that runs, which may have been started with another XDG_STATE_HOME.
	const file = serverLogPath(dirname(dirname(folder.path)), server);
	const nothingYet = `the MCP server ${server} has written nothing to stderr yet`;
	return {
		file,
		nothingYet,
		hint: 'It is started by its first call; mctl list servers --check starts it now.',
	};
}

/** All of it. A file that does not exist is empty when it is followed, else an error. */
function readLog({ file, nothingYet, hint }: LogSource, isFollowed: boolean): Buffer {
	try {
		assertPrivate(file);
		return readRegularFile(file, LOG_READ_LIMIT_BYTES);
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		if (isFollowed) return Buffer.alloc(0);
		throw new OrchestraError('not_found', nothingYet, { hint, data: { file } });
	}
}

async function follow(file: string, from: number, { out, signal }: CommandInput): Promise<void> {
	const decoder = new StringDecoder();
	const onBytes = async (bytes: Buffer): Promise<boolean> => {
		const text = decoder.write(bytes);
		if (text !== '') await out.write(out.isTerminal ? printable(text) : text);
		return !out.isClosed;
	};
	await followFile(file, { from, signal, onBytes });
}
