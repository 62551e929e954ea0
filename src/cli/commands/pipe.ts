/* `mctl pipe`: our stdin to a program's stdin, its stdout to ours, a JSON value a line. */

import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { attempt, OrchestraError } from '../../errors.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { aborted } from '../../rpc/abortable.ts';
import type { Receiver } from '../../rpc/channel.ts';
import { timerMs } from '../../rpc/clock.ts';
import { deferred } from '../../rpc/deferred.ts';
import { ChildTransport } from '../../transport/child-transport.ts';
import { LineReader } from '../../transport/line-reader.ts';
import { isTracing, traced } from '../../transport/trace.ts';
import { parseJson } from '../../wire/json.ts';
import { quoteLine } from '../../wire/quote-line.ts';
import { MESSAGE_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { type Command, type CommandInput, numberFlag, usageError } from '../command.ts';
import { isUrl } from '../target/target-name.ts';
import type { Output } from '../terminal/output.ts';

export const pipe: Command = {
	usage: 'mctl pipe <stdio:URI> [--limit BYTES] [--timeout MS]',
	examples: [
		'echo \'{"foo":42}\' | mctl pipe stdio:cat',
		"mctl pipe 'stdio:python3 server.py --verbose' < requests.ndjson > answers.ndjson",
		"ORCHESTRA_TRACE=1 mctl pipe 'stdio:npx some-server'",
	],
	flags: {
		limit: { value: 'BYTES', help: 'longest line, either way (default 10 MiB)' },
		timeout: { value: 'MS', help: 'longest wait after the end of input (default: no limit)' },
	},
	args: [1, 1, 'the URI of a program, in quotes if it has spaces'],

	async run(input) {
		const [uri = ''] = input.args;
		if (isUrl(uri))
			throw usageError(pipe, 'mctl pipe connects to a program; for a URL use mctl request or mctl call');
		const limitBytes = numberFlag(input, pipe, 'limit') ?? MESSAGE_LIMIT_BYTES;
		const timeoutMs = numberFlag(input, pipe, 'timeout');
		const opened = await ChildTransport.open(
			{ cwd: input.cwd, ...parseStdioUri(uri) },
			{
				stderr: input.out.childStderr,
				parentEnvironment: input.environment,
				limitBytes,
			},
		);
		const transport = isTracing(input.environment) ? traced(opened, input.out.trace) : opened;
		try {
			return await passBothWays(transport, input, { limitBytes, timeoutMs });
		} finally {
			await transport.close();
		}
	},
};

interface PipeLimits {
	limitBytes: number;
	timeoutMs: number | undefined;
}

/** Returns when the program has exited or our stdout is closed. Throws `timeout`. */
async function passBothWays(
	transport: ChildTransport,
	input: CommandInput,
	{ limitBytes, timeoutMs }: PipeLimits,
): Promise<number> {
	const { out, stdin, signal } = input;
	const canceled = aborted(signal).then(() => 'canceled' as const);
	const printed = new Promise<'ended' | 'unread'>((resolve) =>
		transport.start(printTo(out, transport, resolve)),
	);
	const ended = printed.then(async (how) => {
		if (how === 'ended') await transport.exited;
		return how;
	});
	const { reader, over } = readInput(transport, { stdin: stdin(), limitBytes }, (text) => out.info(text));
	const outcome = await Promise.race([ended, canceled, over.then(() => timeLimit(timeoutMs))]);
	reader.stop();
	if (outcome === 'late') throw stillRuns(transport, timeoutMs);
	return outcome === 'ended' ? reportedExit(transport, out) : 0;
}

/** Copies the program's output to our stdout, and lines that are not JSON to stderr. */
function printTo(out: Output, transport: ChildTransport, onEnd: (how: 'ended' | 'unread') => void): Receiver {
	return {
		message(text) {
			if (!isJson(text)) {
				transport.logStray(text);
				return out.info(`mctl: not JSON, left out: ${quoteLine(text)}`);
			}
			transport.pause();
			void out.write(`${text}\n`).then(() => (out.isClosed ? onEnd('unread') : transport.resume()));
		},
		oversize: ({ limitBytes }) =>
			out.info(`mctl: a line of the program was longer than ${limitBytes} bytes and is left out`),
		end: () => onEnd('ended'),
	};
}

/** Copies our input to the program, with backpressure. `over` resolves when no more is sent. */
function readInput(
	transport: ChildTransport,
	{ stdin, limitBytes }: { stdin: Readable; limitBytes: number },
	warn: (text: string) => void,
): { reader: LineReader; over: Promise<void> } {
	const { promise: over, resolve: onOver } = deferred();
	const reader = new LineReader(stdin, limitBytes, () => {
		// The exit of the program is reported elsewhere.
		void transport.endInput().catch(() => {});
		onOver();
	});
	const send = (text: string): void => {
		if (!isJson(text)) return warn(`mctl: not JSON, not sent: ${quoteLine(text)}`);
		try {
			if (transport.post(text)) return;
		} catch (error) {
			warn(`mctl: the program takes no more input: ${OrchestraError.from(error).message}`);
			reader.stop();
			return onOver();
		}
		reader.pause();
		const readOn = (): void => reader.resume();
		transport.flushed().then(readOn, readOn);
	};
	reader.start({
		message: send,
		oversize: ({ limitBytes: limit }) => warn(`mctl: a line longer than ${limit} bytes was not sent`),
		end: () => {},
	});
	return { reader, over };
}

/** Resolves after `ms`; never without one. */
function timeLimit(ms: number | undefined): Promise<'late'> {
	return new Promise((resolve) => {
		if (ms !== undefined) setTimeout(resolve, timerMs(ms), 'late').unref();
	});
}

function stillRuns(transport: ChildTransport, timeoutMs: number | undefined): OrchestraError {
	const { command } = transport.diagnose();
	return new OrchestraError('timeout', `\`${command}\` still ran ${timeoutMs}ms after the end of input`, {
		hint: 'Raise --timeout, or leave it out to wait until the program ends.',
	});
}

/** The exit code for a program that failed: 1, or 128 + n for a signal, as in a shell. */
function reportedExit(transport: ChildTransport, out: Output): number {
	const { command, exitCode, signal } = transport.diagnose();
	if (signal !== null) {
		out.info(`mctl: \`${command}\` was ended by ${signal}`);
		return 128 + constants.signals[signal];
	}
	if (exitCode !== null && exitCode !== 0) {
		out.info(`mctl: \`${command}\` exited with code ${exitCode}`);
		return 1;
	}
	return 0;
}

function isJson(text: string): boolean {
	// The caller handles a line that is no message.
	return attempt(() => {
		parseJson(text);
		return true;
	}, false);
}
