/* How a plugin process ended: for the log, and for the errors of calls in flight. */
import { OrchestraError } from '../../errors.ts';
import type { Child } from '../../process/child.ts';
import { explainExit } from '../../process/diagnosis.ts';
import { within } from '../../rpc/clock.ts';

/** How long to wait for the exit status: the link may break before the exit is reported. */
const EXIT_WAIT_MS = 500;

/** How the process ended; undefined when it still runs after `EXIT_WAIT_MS`. */
export async function exitOf(child: Child): Promise<string | undefined> {
	const explained = child.exited.then(() => explainExit(child.diagnose()));
	return within(explained, EXIT_WAIT_MS, false);
}

/** The error of a call whose plugin ended or dropped the call. Other errors are returned unchanged. */
export async function callError(id: string, thrown: unknown, child: Child): Promise<OrchestraError> {
	const error = OrchestraError.from(thrown);
	if (error.code !== 'closed' && error.code !== 'io') return error;
	const exit = await exitOf(child);
	const message =
		exit === undefined
			? `the plugin ${id} dropped the call without an answer; the outcome is unknown. ${error.message}`
			: `the plugin ${id} ended during the call; the outcome is unknown. ${exit}`;
	return new OrchestraError('closed', message, {
		cause: error,
		hint: 'The call was not repeated. Check whether it took effect before you repeat it.',
		data: { plugin: id, reason: error.message },
	});
}
