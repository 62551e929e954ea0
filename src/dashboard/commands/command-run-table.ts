/*
 * Runs a command of `mctl` for the page, as a process of its own: what a button does is what the
 * command does, with its checks, its checks of the trust record and its undo.
 *
 * Lines of stderr are log messages of the reply, the JSON object on stdout is its result. A page that
 * leaves ends the command. Its arguments reach it by a pipe: every user of the machine can read a command
 * line, and the value of a variable may be a secret.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { OrchestraError } from '../../errors.ts';
import { packageRoot } from '../../files/package-root.ts';
import { redact } from '../../redact.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { isObject, jsonObject } from '../../wire/json.ts';
import { LineSplitter } from '../../wire/lines.ts';
import type { ApiExchange } from '../api/api-reply.ts';
import type { ApiError, ApiObject } from '../api/api-types.ts';
import { LineReply } from '../api/line-reply.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { commandArgs, type PageCommand } from './page-commands.ts';

type CommandLimits = Pick<
	DashboardDeps['limits'],
	'commandMs' | 'commandAnswerCharacters' | 'commandLineBytes'
>;

export class CommandRunTable {
	readonly #deps: Pick<DashboardDeps, 'opened' | 'environment' | 'limits'>;
	readonly #running = new Set<ChildProcess>();

	constructor(deps: Pick<DashboardDeps, 'opened' | 'environment' | 'limits'>) {
		this.#deps = deps;
	}

	/** Run it and reply with its lines. Throws `bad_input` when too many run. */
	async run(
		{ response, signal }: Pick<ApiExchange, 'response' | 'signal'>,
		command: PageCommand,
	): Promise<void> {
		const { opened, limits } = this.#deps;
		if (this.#running.size >= limits.commandsAtOnce)
			throw new OrchestraError('bad_input', `${limits.commandsAtOnce} commands of the page run already`, {
				hint: 'Wait until one has ended, or cancel it.',
			});
		const began = performance.now();
		const child = this.#start(command);
		const reply = new LineReply(response, limits);
		const log = (text: string): void =>
			reply.send({ kind: 'log', at: Date.now(), level: 'info', logger: null, text: redact(text) });
		const end = await ended(child, { signal, limits, log });
		const ms = performance.now() - began;
		if ('error' in end) return reply.finish({ kind: 'error', error: end.error, ms });
		// The entry that it wrote is there when the page reads it.
		await opened.reload();
		reply.finish({ kind: 'result', result: end.result, ms });
	}

	close(): void {
		for (const child of this.#running) child.kill();
	}

	#start(command: PageCommand): ChildProcess {
		const { opened, environment } = this.#deps;
		const args = commandArgs(command);
		// Arguments after `--` belong to the server.
		args.splice(args.includes('--') ? args.indexOf('--') : args.length, 0, '--json');
		const child = spawn(process.execPath, ['-'], {
			cwd: opened.configuration().root,
			// The page shows the address of a sign-in itself.
			env: { ...environment, BROWSER: 'none' },
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		// A child that did not start, or ended early, says so by its end.
		child.stdin.on('error', () => {});
		child.stdin.end(programOf(args));
		this.#running.add(child);
		child.once('close', () => this.#running.delete(child));
		child.once('error', () => this.#running.delete(child));
		return child;
	}
}

/** The program that Node.js reads from its standard input, for the command line of these arguments. */
function programOf(args: readonly string[]): string {
	const main = join(packageRoot(), 'dist', 'cli', 'main.js');
	const argv = JSON.stringify([process.execPath, main, ...args]);
	return `process.argv = ${argv}; import(${JSON.stringify(pathToFileURL(main))});`;
}

interface RunContext {
	readonly signal: AbortSignal;
	readonly limits: CommandLimits;
	readonly log: (line: string) => void;
}

type CommandEnd = { readonly result: ApiObject } | { readonly error: ApiError };

/** How it ended. Never rejects. */
function ended(child: ChildProcess, { signal, limits, log }: RunContext): Promise<CommandEnd> {
	const deadline = AbortSignal.timeout(limits.commandMs);
	const stop = (): void => void child.kill();
	const stopListening = onAbort(AbortSignal.any([signal, deadline]), stop);
	let failure: ApiError | undefined;
	let answer = '';
	child.stdout?.setEncoding('utf8');
	child.stdout?.on('data', (text: string) => {
		if (answer.length + text.length <= limits.commandAnswerCharacters) answer += text;
		else stop();
	});
	readLines(child.stderr, limits.commandLineBytes, (line) => {
		const found = errorIn(line);
		if (found) failure = found;
		else log(line);
	});
	return new Promise((resolve) => {
		child.once('error', ({ message }) => resolve({ error: { code: 'spawn', message } }));
		child.once('close', (code) => {
			stopListening();
			const result = jsonObject(answer);
			if (code === 0 && result) return resolve({ result: result as ApiObject });
			if (deadline.aborted) return resolve({ error: lateError(limits.commandMs) });
			resolve({ error: failure ?? { code: 'internal', message: `the command ended with code ${code}` } });
		});
	});
}

function readLines(stream: Readable | null, limitBytes: number, onLine: (line: string) => void): void {
	const splitter = new LineSplitter(limitBytes);
	stream?.on('data', (chunk: Buffer) => {
		for (const line of splitter.push(chunk)) if (typeof line === 'string' && line.trim() !== '') onLine(line);
	});
}

/** The error that a command with `--json` writes to stderr. */
function errorIn(line: string): ApiError | undefined {
	const error = line.startsWith('{"error":') ? jsonObject(line)?.['error'] : undefined;
	if (!isObject(error)) return undefined;
	const { code, message, hint } = error;
	return {
		code: String(code),
		message: redact(String(message)),
		hint: typeof hint === 'string' ? redact(hint) : undefined,
	};
}

function lateError(ms: number): ApiError {
	return {
		code: 'timeout',
		message: `the command did not end within ${ms / 1000} s`,
		hint: 'Run it in a terminal.',
	};
}
