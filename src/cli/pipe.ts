/* `mctl pipe`: our stdin to a program's stdin, its stdout to ours, a JSON value a line. */
import { OrchestraError } from '../errors.ts';
import { printable } from '../printable.ts';
import { parseStdioUri } from '../process/stdio-uri.ts';
import type { Receiver } from '../rpc/channel.ts';
import { ChildTransport } from '../transport/child-transport.ts';
import { LineReader } from '../transport/line-reader.ts';
import { isTracing, traced, traceToStderr } from '../transport/trace.ts';
import { parseJson } from '../wire/json.ts';
import { MESSAGE_LIMIT_BYTES, STRAY_LINE_CHARACTERS } from '../wire/limits.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { type Command, type CommandInput, numberFlag, usageError } from './command.ts';

/** How long a program has to finish after our input ended. */
const FINISH_MS = 30_000;

export const pipe: Command = {
	usage: 'mctl pipe <stdio:URI> [--limit BYTES]',
	examples: [
		'echo \'{"foo":42}\' | mctl pipe stdio:cat',
		"mctl pipe 'stdio:python3 server.py --verbose' < requests.ndjson > answers.ndjson",
		"ORCHESTRA_TRACE=1 mctl pipe 'stdio:npx some-server'",
	],
	flags: { limit: { type: 'string', value: 'BYTES', help: 'longest line, either way (default 10 MiB)' } },

	async run(input) {
		const [uri, ...rest] = input.words;
		if (uri === undefined) throw usageError(pipe, 'mctl pipe needs the URI of a program');
		if (rest.length > 0) throw usageError(pipe, 'the URI must be one word; put it in quotes');
		const limitBytes = numberFlag(input, pipe, 'limit') ?? MESSAGE_LIMIT_BYTES;
		const opened = await ChildTransport.open(parseStdioUri(uri), {
			stderr: input.out.childStderr,
			limitBytes,
		});
		const transport = isTracing(input.environment) ? traced(opened, traceToStderr) : opened;
		try {
			await passBothWays(transport, input, limitBytes);
		} finally {
			await transport.close();
		}
	},
};

async function passBothWays(
	transport: ChildTransport,
	input: CommandInput,
	limitBytes: number,
): Promise<void> {
	const { out, signal } = input;
	const programEnded = new Promise<void>((resolve) => transport.start(printTo(input, transport, resolve)));
	const aborted = new Promise<void>((resolve) =>
		signal.addEventListener('abort', () => resolve(), { once: true }),
	);
	const reader = new LineReader(process.stdin, limitBytes, () => {
		// A program that is gone already has told so by its own end.
		void transport.endInput().catch(() => {});
		setTimeout(() => void transport.close(), FINISH_MS).unref();
	});
	reader.start(sendTo(transport, reader, (text) => out.note(text)));
	await Promise.race([programEnded, aborted]);
	reader.stop();
	const { exitCode } = transport.diagnose();
	if (exitCode !== null && exitCode !== 0) process.exitCode = 1;
}

/** What the program says, to our stdout; lines that are not JSON, to stderr. */
function printTo({ out }: CommandInput, transport: ChildTransport, onEnd: () => void): Receiver {
	return {
		message(text) {
			if (!isJson(text)) {
				transport.noteStray(text);
				return out.note(`mctl: not JSON, left out: ${printable(text.slice(0, STRAY_LINE_CHARACTERS))}`);
			}
			transport.pause();
			void out.write(`${text}\n`).then(() => (out.isClosed ? onEnd() : transport.resume()));
		},
		oversize: ({ limitBytes }) =>
			out.note(`mctl: a line of the program was longer than ${limitBytes} bytes and is left out`),
		end: onEnd,
	};
}

/** What we read, to the program; a slow program slows our reading. */
function sendTo(transport: ChildTransport, reader: LineReader, warn: (text: string) => void): Receiver {
	return {
		message(text) {
			if (!isJson(text))
				return warn(`mctl: not JSON, not sent: ${printable(text.slice(0, STRAY_LINE_CHARACTERS))}`);
			try {
				if (transport.post(text)) return;
			} catch (error) {
				return warn(`mctl: not sent: ${OrchestraError.from(error).message}`);
			}
			reader.pause();
			transport.flushed().then(
				() => reader.resume(),
				() => reader.resume(),
			);
		},
		oversize: ({ limitBytes }: OversizeLine) =>
			warn(`mctl: a line longer than ${limitBytes} bytes was not sent`),
		end: () => {},
	};
}

function isJson(text: string): boolean {
	try {
		parseJson(text);
		return true;
	} catch {
		return false; // the caller says what becomes of such a line
	}
}
