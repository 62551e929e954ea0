/* `mctl replay`: a recording as an MCP server, or made again against a server. */

import { resolve } from 'node:path';
import { exchangesOf } from '../../record/exchanges.ts';
import { type Recording, readRecordings } from '../../record/read-recording.ts';
import { listRecordings, recordingsFolder } from '../../record/recording-files.ts';
import { ReplayServer } from '../../record/replay-server.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { deferred } from '../../rpc/deferred.ts';
import { StdioTransport } from '../../transport/stdio-transport.ts';
import { type Command, type CommandInput, jsonFlag, usageError } from '../command.ts';
import { shownPath } from '../init/import-servers.ts';

export const replay: Command = {
	usage: 'mctl replay [<file or folder>] [--against SERVER] [--json] [-- <command> [args…]]',
	examples: [
		'mctl replay',
		'mctl replay session.ndjson',
		'mctl replay recordings/',
		'mctl replay session.ndjson --against files',
		'mctl replay session.ndjson --against https://example.com/mcp --json',
		'mctl replay session.ndjson -- node server.js',
	],
	flags: {
		against: { value: 'SERVER', help: 'a server of the configuration, a stdio: URI or a URL' },
		json: jsonFlag,
	},
	args: [0, Number.POSITIVE_INFINITY, 'a recording, and a command'],

	async run(input) {
		const [path, ...command] = input.args;
		const { against } = input.flags;
		if (path === undefined) return showRecordings(input);
		if (against !== undefined && command.length > 0)
			throw usageError(replay, 'give --against or a command, not both');
		const recordings = readRecordings(resolve(input.cwd, path));
		if (against === undefined && command.length === 0) {
			if (input.flags['json']) throw usageError(replay, '--json needs --against or a command');
			return serve(recordings, input);
		}
		const { replayAgainst } = await import('./replay-against.ts');
		const target = typeof against === 'string' ? against : command;
		return replayAgainst({ path, recordings, target }, input);
	},
};

async function serve(recordings: readonly Recording[], { signal }: CommandInput): Promise<void> {
	const transport = new StdioTransport();
	const over = deferred();
	transport.onBroken(() => over.resolve());
	onAbort(signal, () => over.resolve());
	const server = new ReplayServer(transport, exchangesOf(recordings), () => over.resolve());
	transport.watchOutput(() => true);
	transport.start(server);
	await over.promise;
	await server.settled();
	await transport.close();
}

function showRecordings({ cwd, environment, flags, out }: CommandInput): void {
	const folder = recordingsFolder(environment);
	const found = listRecordings(folder);
	if (flags['json']) {
		const recordings = found.map(({ startedAt, endedAt, ...about }) => ({
			...about,
			startedAt: startedAt.toISOString(),
			endedAt: endedAt.toISOString(),
		}));
		return out.json({ schema: 'orchestra.recordings/1', folder, recordings });
	}
	for (const { server, startedAt, bytes, file } of found)
		out.line(`${startedAt.toISOString()}  ${server}  ${bytes} bytes  ${shownPath(file, cwd)}`);
	if (found.length === 0)
		out.info(`mctl: there are no recordings in ${folder}; make one with mctl record, or set "record": true`);
}
