/*
 * A proxy on stdin and stdout before an MCP server: every message passes unchanged in
 * both directions and is recorded.
 *
 * The program gets our whole environment, as if the client had started it. At the end of
 * input the program gets the end of its own, and may answer what is in flight.
 */

import { constants } from 'node:os';
import { basename, extname } from 'node:path';
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { recorded } from '../../record/record-transport.ts';
import { Recorder } from '../../record/recorder.ts';
import { recordingsFolder } from '../../record/recording-files.ts';
import { onAbort } from '../../rpc/abortable.ts';
import type { Receiver } from '../../rpc/channel.ts';
import { within } from '../../rpc/clock.ts';
import { deferred } from '../../rpc/deferred.ts';
import { registerNamedSecret } from '../../secrets/secret-name.ts';
import { ChildTransport } from '../../transport/child-transport.ts';
import { StdioTransport } from '../../transport/stdio-transport.ts';
import type { Transport } from '../../transport/transport.ts';
import { RECORD_DRAIN_MS, RECORDED_LINE_BYTES } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';

const SIGNALED = 128;
const runners = new Set('node npx bun deno python python3 uv uvx sh bash docker'.split(' '));

/** Names that say nothing about the server. */
const plainNames = new Set('index main server cli bin dist build src lib . ..'.split(' '));

/** Record until the client disconnects or the program ends. Resolves to the exit code of the program. */
export async function recordProgram(input: CommandInput, folder: string): Promise<number> {
	const { args, cwd, environment, out, signal } = input;
	const program = programOf(args);
	const env = definedOf(environment);
	for (const [name, value] of Object.entries(env)) registerNamedSecret(name, value);
	const log = { warn: (line: string) => out.info(`mctl: ${line}`) };
	const keepsAll = folder !== recordingsFolder(environment);
	const recorder = new Recorder({ folder, server: serverName(program), log, keepsAll });
	const server = await ChildTransport.open(
		{ cwd, ...program, env },
		{ stderr: out.childStderr, limitBytes: RECORDED_LINE_BYTES, parentEnvironment: environment },
	);
	const client = new StdioTransport({ limitBytes: RECORDED_LINE_BYTES });
	onAbort(signal, () => client.stopReading());
	try {
		await passMessages(client, recorded(server, recorder));
	} finally {
		await server.close();
		await client.close();
		recorder.close();
	}
	if (recorder.file !== undefined) out.info(`mctl: recorded in ${recorder.file}`);
	const { exitCode, signal: endedBy } = server.diagnose();
	return exitCode ?? (endedBy === null ? 0 : SIGNALED + constants.signals[endedBy]);
}

/** Resolves when the program has ended, or when the client has and the program had its time. */
async function passMessages(client: StdioTransport, server: ChildTransport): Promise<void> {
	const clientEnd = deferred();
	const serverEnd = deferred();
	const unread = deferred();
	client.onBroken(() => unread.resolve());
	server.start(passTo(client, server, () => serverEnd.resolve()));
	client.start(passTo(server, client, () => clientEnd.resolve()));
	const drained = clientEnd.promise.then(async () => {
		// The end of the program is reported elsewhere.
		await server.endInput().catch(() => {});
		await within(serverEnd.promise, RECORD_DRAIN_MS);
	});
	await Promise.race([serverEnd.promise, unread.promise, drained]);
}

/** Reading stops while the other side is full. */
function passTo(to: Transport, from: Transport, onEnd: () => void): Receiver {
	return {
		message(text) {
			try {
				if (to.post(text)) return;
			} catch {
				return; // it has ended, which its own end reports
			}
			from.pause();
			const resume = (): void => from.resume();
			to.flushed().then(resume, resume);
		},
		oversize: () => {},
		end: onEnd,
	};
}

function programOf(commandLine: readonly string[]): SpawnRecord {
	const [command = '', ...args] = commandLine;
	return args.length === 0 && command.startsWith('stdio:') ? parseStdioUri(command) : { command, args };
}

/** The script or package that a runner runs, else the program. */
function serverName({ command, args = [] }: SpawnRecord): string {
	const named = [command, ...args].find((word) => !word.startsWith('-') && !runners.has(basename(word)));
	const parts = (named ?? command).split(/[/\\]/).filter((part) => part !== '');
	const names = parts.map((part) => part.slice(0, part.length - extname(part).length) || part);
	return names.findLast((name) => !plainNames.has(name)) ?? names.at(-1) ?? 'program';
}

function definedOf(environment: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
	const pairs = Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined);
	return Object.fromEntries(pairs);
}
