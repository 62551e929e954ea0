/*
 * Makes a recorded call again, at the request of a user, and compares the answers.
 *
 * The call goes through the hub as a call of the page, so policy, journal and limits
 * apply, and the tool may change something again. Arguments come from the recording; a
 * call whose arguments had a secret is not made, because the secret is not recorded.
 */
import { OrchestraError } from '../../errors.ts';
import type { RecordedAnswer, RecordedExchange } from '../../record/exchanges.ts';
import { findRecordedCall } from '../../record/find-call.ts';
import { type JsonDifference, jsonDifferences } from '../../record/json-differences.ts';
import { recordingsFolder } from '../../record/recording-files.ts';
import { whySkipped } from '../../record/repeat-recording.ts';
import { redactJson } from '../../redact.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import type { AnswerComparison, CallDetails } from '../api/api-calls.ts';
import type { ApiExchange } from '../api/api-reply.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { DIFFERENCE_SIDE_CHARACTERS } from '../dashboard-limits.ts';
import type { CallAnswer, PageCalls } from './page-calls.ts';

/** Make the call and stream its messages. Throws when it is not recorded or cannot be made again. */
export async function replayCall(
	{ exchange, number, pageCalls }: { exchange: ApiExchange; number: unknown; pageCalls: PageCalls },
	deps: DashboardDeps,
): Promise<void> {
	const call = typeof number === 'number' ? deps.calls.details(number) : undefined;
	if (call === undefined || call.ms === null || call.method !== 'tools/call')
		throw new OrchestraError('not_found', 'there is no call of a tool with this number that has ended', {
			hint: 'Choose one in the list of calls.',
		});
	const recorded = await recordedCall(call, call.ms, deps);
	const { arguments: input = {} } = Object(recorded.params) as Readonly<Record<string, unknown>>;
	const params = { name: call.name, arguments: input };
	const compare = (now: CallAnswer): AnswerComparison => comparisonOf(recorded.answer, now);
	return pageCalls.run(exchange, 'tools/call', params, compare);
}

async function recordedCall(
	call: CallDetails,
	ms: number,
	{ hub, environment }: DashboardDeps,
): Promise<RecordedExchange> {
	const { routes } = await hub.catalogue.list('tools');
	const found = await findRecordedCall(recordingsFolder(environment), {
		server: call.backend,
		tool: routes.get(call.name)?.name ?? call.name,
		startedAt: new Date(call.at),
		ms,
		arguments: call.arguments === null ? undefined : parseJson(call.arguments),
	});
	if (found === undefined)
		throw new OrchestraError('not_found', `no recording of ${call.backend} has this call`, {
			hint: 'Add "record": true to the server, and make the call again.',
		});
	const reason =
		found === 'several'
			? 'several calls of that time may be it, and its arguments are not retained'
			: whySkipped(found);
	if (found !== 'several' && reason === undefined) return found;
	throw new OrchestraError('bad_input', `this call is not made again: ${reason}`, {
		hint: 'Open the tool, and call it with arguments of your own.',
	});
}
/** The recorded answer and the new one. What differs between connections and not between answers is left out. */
function comparisonOf(recorded: RecordedAnswer | undefined, now: CallAnswer): AnswerComparison {
	const before = { [recorded?.member ?? 'result']: recorded === undefined ? null : parseJson(recorded.text) };
	const differences = jsonDifferences(plain(before), plain(redactJson(now)));
	return { isSame: differences.length === 0, differences: differences.map(shownDifference) };
}

function plain(answer: unknown): unknown {
	const { result, error } = Object(answer) as Readonly<Record<string, unknown>>;
	if (error !== undefined) return { error: { message: isObject(error) ? error['message'] : undefined } };
	if (!isObject(result)) return { result };
	const { _meta, resultType: _resultType, ...rest } = result;
	return { result: rest };
}

function shownDifference({ path, before, after }: JsonDifference): AnswerComparison['differences'][number] {
	return { path, before: sideText(before), after: sideText(after) };
}

function sideText(value: unknown): string | null {
	if (value === undefined) return null;
	return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, DIFFERENCE_SIDE_CHARACTERS);
}
