/*
 * The error of an MCP server that failed: what was being done, how, for how long, what
 * the server printed, and what to do next.
 *
 * The message has all of it, because a model sees nothing else. `data.details` has the
 * same for programs, and is sent with the error.
 */
import type { ServerEntry } from '../../../config/configuration.ts';
import { OrchestraError, reasonTextOf } from '../../../errors.ts';
import type { Phase } from '../../../mcp/client/phase-error.ts';
import type { Diagnosis } from '../../../process/diagnosis.ts';
import { commandLine } from '../../../process/spawn-record.ts';
import { oldCodes } from '../../../protocol/meta.ts';
import { redact, redactJson } from '../../../redact.ts';
import { rpcError, rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { publicUrl } from '../../../transport/http/http-errors.ts';
import { isObject } from '../../../wire/json.ts';
import { rpcCodes } from '../../../wire/json-rpc.ts';

/** How many lines of stderr and stdout the error has. */
const LAST_LINES = 10;

/** What is known about the failure. */
export interface FailureFacts {
	readonly entry: ServerEntry;
	readonly phase: Phase;
	/** Milliseconds per phase. */
	readonly elapsedMs: Readonly<Record<string, number>>;
	/** Of its process. */
	readonly diagnosis: Diagnosis | undefined;
	/** The file with its stderr. */
	readonly logFile: string;
}

/** The error for people and programs. An error that the server answered a request of a client with passes unchanged. */
export function serverFailure(thrown: unknown, facts: FailureFacts): OrchestraError {
	const error = OrchestraError.from(thrown);
	const { entry, phase, elapsedMs, logFile } = facts;
	const isAnswer = rpcErrorOf(error) !== undefined && phase !== 'initialize';
	if (isAnswer || error.code === 'canceled' || 'details' in error.data) return error;
	// For another error, we ended the process ourselves.
	const ended = error.code === 'closed' ? endOf(facts.diagnosis) : undefined;
	const outcome = outcomeOf(error, phase);
	const isUnknown = error.data['outcome'] === 'unknown';
	const hint = nextStep(error, facts, isUnknown);
	const lines = outputLines(facts.diagnosis);
	const details = {
		server: entry.name,
		phase,
		command: commandOf(entry),
		exitCode: (ended && facts.diagnosis?.exitCode) ?? null,
		signal: (ended && facts.diagnosis?.signal) ?? null,
		stderr: lines.stderr,
		strayLines: lines.stray,
		elapsedMs,
		logFile,
		outcome,
	};
	const message = [
		`the MCP server ${entry.name} ${what(error, facts, isUnknown)}: ${ended ?? reasonTextOf(error)}`,
		`${entry.kind === 'stdio' ? 'Command' : 'URL'}: ${details.command} (${elapsed(elapsedMs)})`,
		...quoted('Last stderr lines', lines.stderr),
		...quoted('Lines on stdout that are not messages', lines.stray),
		`Next: ${hint}`,
	].join('\n');
	const data = { details: redactJson({ ...details, hint }) };
	return new OrchestraError(error.code, redact(message), { cause: thrown, data });
}

/** The error that a server answered with, for a client: codes that its era does not have any more are replaced. */
export function answeredError(thrown: unknown, clientEra: 'legacy' | 'modern'): unknown {
	const rpc = rpcErrorOf(thrown);
	if (rpc?.code === oldCodes.resourceNotFound) return rpcError(rpcCodes.invalidParams, rpc.message, rpc.data);
	if (rpc?.code === oldCodes.urlElicitationRequired && clientEra === 'modern')
		return rpcError(rpcCodes.internal, rpc.message, rpc.data);
	return thrown;
}

/** The error of a call while the server is down. @param cause why it is down */
export function serverDown(entry: ServerEntry, cause: OrchestraError, delayMs: number): OrchestraError {
	const { name, settings, file } = entry;
	const seconds = Math.ceil(delayMs / 1000);
	const next = settings.restart ? `is started again in ${seconds} s` : 'is not restarted';
	const hint = settings.restart
		? `Call it again in ${seconds} s, or correct mcpServers.${name} in ${file}.`
		: `Set restart of mcpServers.${name} in ${file} to true, or restart the hub.`;
	const { details } = cause.data;
	return new OrchestraError(
		cause.code,
		`the MCP server ${name} is down and ${next}; this call did not run. ${cause.message}`,
		{
			cause,
			hint,
			data: { details: { ...(isObject(details) && details), hint, nextTryInMs: Math.round(delayMs) } },
		},
	);
}

/** True when the server refused us for lack of authorization: it is well, and a sign-in makes the next start work. */
export function needsSignIn(thrown: unknown): boolean {
	const status = OrchestraError.is(thrown) ? thrown.data['status'] : undefined;
	return status === 401 || status === 403;
}

/** How long a server that refused us because it is overloaded wants no request; undefined when it did not. */
export function retryAfterOf(thrown: unknown): number | undefined {
	if (!OrchestraError.is(thrown)) return undefined;
	const { status, retryAfterMs } = thrown.data;
	return typeof retryAfterMs === 'number' ? retryAfterMs : status === 429 ? 0 : undefined;
}

/** The first line of a message, for a log. */
export function firstLine(message: string): string {
	return message.split('\n', 1)[0] ?? '';
}

/** The command line of a server, or its address without the parts that may be secret. */
export function commandOf(entry: ServerEntry): string {
	if (entry.kind === 'stdio') return commandLine(entry.record);
	return URL.canParse(entry.url) ? publicUrl(new URL(entry.url)) : entry.url;
}

/** `unknown` when the server may have done what was asked. */
function outcomeOf(error: OrchestraError, phase: Phase): 'none' | 'unknown' {
	const { outcome, status } = error.data;
	if (outcome === 'unknown' || outcome === 'none') return outcome;
	const mayRun = error.code === 'timeout' || (typeof status === 'number' && status >= 500);
	return phase === 'call' && mayRun ? 'unknown' : 'none';
}

function what(error: OrchestraError, { entry, phase }: FailureFacts, isUnknown: boolean): string {
	if (isUnknown)
		return entry.kind === 'stdio'
			? 'ended during the call; the outcome is unknown'
			: 'did not answer the call; the outcome is unknown';
	switch (phase) {
		case 'spawn':
			return entry.kind === 'stdio' ? 'could not be started' : 'could not be reached';
		case 'initialize':
			return error.code === 'timeout' ? 'did not answer the handshake' : 'failed in the handshake';
		case 'list':
			return 'could not list what it offers';
		case 'call':
			if (error.code === 'timeout') return 'did not answer the call';
			return error.code === 'closed' ? 'ended' : 'failed during the call';
	}
}

/** How the process ended; undefined while it runs, and for a server without a process. */
function endOf(diagnosis: Diagnosis | undefined): string | undefined {
	if (diagnosis === undefined) return undefined;
	const { exitCode, signal, elapsedMs, limit } = diagnosis;
	const why = limit === undefined ? '' : `; ${limit}`;
	if (signal !== null) return `its process was ended by ${signal} after ${elapsedMs} ms${why}`;
	return exitCode === null
		? undefined
		: `its process exited with code ${exitCode} after ${elapsedMs} ms${why}`;
}

function outputLines(diagnosis: Diagnosis | undefined): {
	stderr: readonly string[];
	stray: readonly string[];
} {
	return {
		stderr: diagnosis?.stderr.slice(-LAST_LINES) ?? [],
		stray: diagnosis?.strayLines.slice(-LAST_LINES) ?? [],
	};
}

function quoted(title: string, lines: readonly string[]): string[] {
	return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function elapsed(phases: Readonly<Record<string, number>>): string {
	return Object.entries(phases)
		.map(([phase, ms]) => `${phase} ${Math.round(ms)} ms`)
		.join(', ');
}

function nextStep(
	error: OrchestraError,
	{ entry, phase, diagnosis, logFile }: FailureFacts,
	isUnknown: boolean,
): string {
	const key = `mcpServers.${entry.name} in ${entry.file}`;
	if (isUnknown)
		return 'Check whether the call took effect before you repeat it; it was not repeated for you.';
	if (error.code === 'spawn') return error.hint ?? `Correct ${key}.`;
	if (error.code === 'bad_frame' && 'limitBytes' in error.data)
		return `Raise limits.messageBytes in ${entry.file}, or ask for less.`;
	if (error.code === 'timeout' && phase === 'call') return timeoutStep(error, key);
	if (diagnosis === undefined) return error.hint ?? `Correct ${key}.`;
	if (error.code !== 'closed' && error.code !== 'timeout')
		return error.hint ?? `Its stderr is in ${logFile}.`;
	if (error.code === 'timeout')
		return `Check that the command starts an MCP server on stdin and stdout; if it only needs longer, raise startMs of ${key}.`;
	if (diagnosis.limit !== undefined) return `Raise limits of ${key}, or let the server use less.`;
	if (diagnosis.exitCode === 0 && diagnosis.stderr.length === 0 && diagnosis.signal === null)
		return `It exited without an error, so it is probably not an MCP server for stdio, or an argument is missing. Run it by hand: ${commandOf(entry)}`;
	if (diagnosis.exitCode === null && diagnosis.signal === null)
		return error.hint ?? `Its stderr is in ${logFile}.`;
	return `Read its last lines, then run it by hand: ${commandOf(entry)}`;
}

function timeoutStep(error: OrchestraError, key: string): string {
	const isTotal = error.data['kind'] === 'total';
	return isTotal
		? `It still reported progress at its total timeout; raise maxMs of ${key}.`
		: `It may still run. If it needs longer than this without progress, raise timeoutMs of ${key}.`;
}
