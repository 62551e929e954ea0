/* A line of the journal for each call: how it ended, refusals included, with the result as the source returned it. */
import { OrchestraError, requestOutcomeOf } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { whenEnded } from '../../mcp/server/methods.ts';
import { type Answer, answerValue } from '../../protocol/mcp-types.ts';
import type { CallEnd } from '../call-feed.ts';
import { type Journal, type JournalEntry, noJournal } from '../journal/journal.ts';
import type { HubCall } from './hub-call.ts';
import { aroundCalls, type Middleware } from './middleware.ts';

/** Write the lines, and leave what is in them in the call. */
export function journalCalls(journal: Journal): Middleware {
	return aroundCalls((call, inner) => {
		if (!call.isReported) return inner.request(call);
		return whenEnded(
			() => inner.request(call),
			(end) => {
				const line = lineOf(call, 'thrown' in end ? failureOf(end.thrown) : outcomeOf(end.result));
				call.end = line;
				if (journal !== noJournal) journal.write(line);
			},
		);
	});
}

type Ending = Pick<JournalEntry, 'outcome' | 'error' | 'remote' | 'result'> & Pick<CallEnd, 'thrown'>;

function failureOf(thrown: unknown): Ending {
	const outcome = OrchestraError.is(thrown, 'canceled') ? 'canceled' : 'error';
	return { outcome, error: OrchestraError.from(thrown).code, thrown, remote: requestOutcomeOf(thrown) };
}

/** An MCP result or a response of the plugin protocol may report a failure. */
function outcomeOf(result: Answer): Ending {
	const { isError, success } = answerValue(result);
	return { outcome: isError === true || success === false ? 'failed' : 'ok', result };
}

/** Without spreads: this is done for every call. */
function lineOf(call: HubCall, { outcome, error, remote, result, thrown }: Ending): JournalEntry & CallEnd {
	const { client, backend, method, name, startedAt, context } = call;
	const decision = context.plan?.decision ?? call.decision;
	const ms = Date.now() - startedAt.getTime();
	return {
		client,
		backend,
		method,
		name,
		startedAt,
		ms,
		outcome,
		error,
		remote,
		worker: context.worker,
		phases: phasesOf(context, ms),
		policy: decision?.policy,
		rule: decision?.rule,
		plan: context.plan?.id,
		trace: traceOf(context),
		arguments: call.arguments,
		result,
		thrown,
	};
}

/** Whole milliseconds; what is in no other phase is the run. */
function phasesOf({ phases }: CallContext, ms: number): Record<string, number> | undefined {
	if (phases === undefined) return undefined;
	const spent = Object.entries(phases.spent);
	if (spent.length === 0) return undefined;
	const rounded = spent.map(([phase, time]): [string, number] => [phase, Math.round(time)]);
	const run = Math.max(
		0,
		rounded.reduce((rest, [, time]) => rest - time, ms),
	);
	return Object.fromEntries([...rounded, ['run', run]]);
}

/** The id of the trace that the hub exports, else that of W3C `traceparent`. */
export function traceOf({ tracer, meta }: CallContext): string | undefined {
	if (tracer) return tracer.traceId;
	const parent = meta['traceparent'];
	if (typeof parent !== 'string') return undefined;
	return /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(parent)?.[1];
}
