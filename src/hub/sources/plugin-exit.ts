/* How a plugin process ended: for the log, and for the errors of calls in flight. */
import { OrchestraError, requestOutcomeOf, withOutcome } from '../../errors.ts';
import type { Child } from '../../process/child.ts';
import { explainExit } from '../../process/diagnosis.ts';
import { within } from '../../rpc/clock.ts';
import { EXIT_WAIT_MS } from '../../transport/transport-limits.ts';

/** How the process ended; undefined when it still runs after `EXIT_WAIT_MS`. */
export async function exitOf(child: Child): Promise<string | undefined> {
	const exit = await within(child.exited, EXIT_WAIT_MS, false);
	if (exit === undefined) return undefined;
	await child.lastStderrLines();
	return explainExit(child.diagnose());
}

/** The error of a call whose plugin ended or dropped the call. An answer of the plugin is returned unchanged. */
export async function callError(id: string, thrown: unknown, child: Child): Promise<OrchestraError> {
	const error = OrchestraError.from(thrown);
	if (error.code === 'tool_failed' || error.code === 'rpc') return error;
	const outcome = requestOutcomeOf(error) ?? 'unknown';
	if (outcome !== 'unknown' || (error.code !== 'closed' && error.code !== 'io'))
		return withOutcome(error, outcome);
	const exit = await exitOf(child);
	const message =
		exit === undefined
			? `the plugin ${id} dropped the call without an answer; the outcome is unknown. ${error.message}`
			: `the plugin ${id} ended during the call; the outcome is unknown. ${exit}`;
	return new OrchestraError('closed', message, {
		cause: error,
		hint: 'The call was not repeated. Check whether it took effect before you repeat it.',
		data: { plugin: id, reason: error.message, outcome },
	});
}
