/*
 * The error of an MCP server that failed: what was being done, how, for how long, what
 * the server printed, and what to do next.
 *
 * The message has all of it, because a model sees nothing else. `data.details` has the
 * same for programs, and is sent with the error.
 */
import type { ServerEntry } from '../../../../config/configuration.ts';
import { OrchestraError, type RequestOutcome, reasonTextOf, requestOutcomeOf } from '../../../../errors.ts';
import type { Phase } from '../../../../mcp/client/phase-error.ts';
import { crashLines } from '../../../../process/crash-lines.ts';
import { type Diagnosis, exitReason, exitText } from '../../../../process/diagnosis.ts';
import { commandLine } from '../../../../process/spawn-record.ts';
import { oldCodes } from '../../../../protocol/meta.ts';
import { redact, redactJson } from '../../../../redact.ts';
import { rpcError, rpcErrorOf } from '../../../../rpc/rpc-error.ts';
import { publicUrl } from '../../../../transport/http/http-errors.ts';
import { isObject } from '../../../../wire/json.ts';
import { rpcCodes } from '../../../../wire/json-rpc.ts';
import { FAILURE_LAST_LINES } from '../../source-limits.ts';

/** The facts of the failure. */
export interface FailureFacts {
	readonly entry: ServerEntry;
	readonly phase: Phase;
	/** Milliseconds per phase. */
	readonly elapsedMs: Readonly<Record<string, number>>;
	/** The diagnosis of its process. */
	readonly diagnosis: Diagnosis | undefined;
	/** The file with its stderr. */
	readonly logFile: string;
}

/** The error for users and programs. An error that the server answered a request of a client with passes unchanged. */
export function serverFailure(thrown: unknown, facts: FailureFacts): OrchestraError {
	const error = OrchestraError.from(thrown);
	const { entry, phase, elapsedMs, logFile } = facts;
	const isAnswer = rpcErrorOf(error) !== undefined && phase !== 'initialize';
	if (isAnswer || error.code === 'canceled' || 'details' in error.data) return error;
	// For another error, we ended the process ourselves.
	const ended = error.code === 'closed' ? endOf(facts.diagnosis) : undefined;
	const outcome = outcomeOf(error, phase);
	const hint = nextStep(error, facts, outcome);
	const stderr = crashLines(facts.diagnosis?.stderr ?? [], FAILURE_LAST_LINES);
	const strayLines = crashLines(facts.diagnosis?.strayLines ?? [], FAILURE_LAST_LINES);
	const details = {
		server: entry.name,
		phase,
		command: commandOf(entry),
		exitCode: (ended && facts.diagnosis?.exitCode) ?? null,
		signal: (ended && facts.diagnosis?.signal) ?? null,
		stderr,
		strayLines,
		elapsedMs,
		logFile,
		outcome,
	};
	const message = [
		`the MCP server ${entry.name} ${what(error, facts, outcome)}: ${ended ?? reasonTextOf(error)}`,
		`${entry.kind === 'stdio' ? 'Command' : 'URL'}: ${details.command} (${elapsed(elapsedMs)})`,
		...quoted('Last stderr lines', ended?.endsWith(`: ${stderr.join('')}`) ? [] : stderr),
		...quoted('Lines on stdout that are not messages', strayLines),
		`Next: ${hint}`,
	].join('\n');
	const data = { outcome, details: redactJson({ ...details, hint }) };
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
	const next = settings.restart ? `a call in ${seconds} s or later starts it again` : 'is not restarted';
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
			data: {
				outcome: 'not_run',
				details: { ...(isObject(details) && details), hint, nextTryInMs: Math.round(delayMs) },
			},
		},
	);
}

/** How long a server that refused us because it is overloaded wants no request; undefined when it did not. */
export function retryAfterOf(thrown: unknown): number | undefined {
	if (!OrchestraError.is(thrown)) return undefined;
	const { status, retryAfterMs } = thrown.data;
	return typeof retryAfterMs === 'number' ? retryAfterMs : status === 429 ? 0 : undefined;
}

/** The command line of a server, or its address without the parts that may be secret. */
export function commandOf(entry: ServerEntry): string {
	if (entry.kind === 'stdio') return commandLine(entry.record);
	return URL.canParse(entry.url) ? publicUrl(new URL(entry.url)) : entry.url;
}

/** The outcome of the call: it is sent in the last phase. What is not known to be harmless is unknown. */
function outcomeOf(error: OrchestraError, phase: Phase): RequestOutcome {
	return phase === 'call' ? (requestOutcomeOf(error) ?? 'unknown') : 'not_run';
}

function what(error: OrchestraError, { entry, phase }: FailureFacts, outcome: RequestOutcome): string {
	if (outcome === 'ran') return 'answered the call, and its answer cannot be used';
	if (isLost(error, outcome)) return `${lost(error, entry)}; the outcome is unknown`;
	switch (phase) {
		case 'spawn':
			return entry.kind === 'stdio' ? 'could not be started' : 'could not be reached';
		case 'initialize':
			return error.code === 'timeout' ? 'did not answer the handshake' : 'failed in the handshake';
		case 'list':
			return 'could not list its items';
		case 'call':
			if (error.code === 'timeout') return 'did not answer the call';
			return error.code === 'closed' ? 'ended' : 'failed during the call';
	}
}

/** A server that did not answer in time has not ended. */
function isLost({ code }: OrchestraError, outcome: RequestOutcome): boolean {
	return outcome === 'unknown' && code !== 'timeout';
}

function lost({ code }: OrchestraError, { kind }: ServerEntry): string {
	if (code !== 'closed' && code !== 'io') return 'failed during the call';
	return kind === 'stdio' ? 'ended during the call' : 'did not answer the call';
}

/** How the process ended, and why by its stderr; undefined while it runs, and for a server without a process. */
function endOf(diagnosis: Diagnosis | undefined): string | undefined {
	const how = diagnosis && exitText(diagnosis);
	if (diagnosis === undefined || how === undefined) return undefined;
	const reason = exitReason(diagnosis);
	return `its process ${how}${reason === undefined ? '' : `: ${reason}`}`;
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
	outcome: RequestOutcome,
): string {
	const key = `mcpServers.${entry.name} in ${entry.file}`;
	if (error.code === 'bad_frame' && 'limitBytes' in error.data)
		return `${beforeRepeat[outcome]}Raise limits.messageBytes in ${entry.file}, or ask for less.`;
	if (isLost(error, outcome)) return `${beforeRepeat.unknown}It was not repeated for you.`;
	if (error.code === 'spawn') return error.hint ?? `Correct ${key}.`;
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

/** A warning before the same call is made again. */
const beforeRepeat: Readonly<Record<RequestOutcome, string>> = {
	not_run: '',
	ran: 'The call has taken effect; make it again only if that does no harm. ',
	unknown: 'Check whether the call took effect before you repeat it. ',
};

function timeoutStep({ data }: OrchestraError, key: string): string {
	return data['kind'] === 'total'
		? `It may still run. If it needs longer than this in all, raise maxMs of ${key}, and timeoutMs where it reports no progress.`
		: `It may still run. If it needs longer than this without progress, raise timeoutMs of ${key}.`;
}
