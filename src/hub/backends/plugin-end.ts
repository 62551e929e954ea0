/* What is known of the end of a plugin: for its log, and for the calls that were under way. */

import { OrchestraError } from '../../errors.ts';
import type { Child } from '../../process/child.ts';
import { explainExit } from '../../process/diagnosis.ts';
import { within } from '../../rpc/clock.ts';

/** How long the exit of a process may take to be seen: the link may notice a death before the process table does. */
const EXIT_WAIT_MS = 500;

/** How the process ended; undefined when it still runs after a moment. */
export async function exitOf(child: Child): Promise<string | undefined> {
	const explained = child.exited.then(() => explainExit(child.diagnose()));
	return within(explained, EXIT_WAIT_MS, false);
}

/** The error of a call whose plugin went away: what became of it, and of the call. Other errors stay as they are. */
export async function explainEnd(id: string, thrown: unknown, child: Child): Promise<OrchestraError> {
	const error = OrchestraError.from(thrown);
	if (error.code !== 'closed' && error.code !== 'io') return error;
	const exit = await exitOf(child);
	const message =
		exit === undefined
			? `the plugin ${id} ended the call without an answer; the outcome is unknown. ${error.message}`
			: `the plugin ${id} went away during the call; the outcome is unknown. ${exit}`;
	return new OrchestraError('closed', message, {
		cause: error,
		hint: 'It may or may not have run, so it was not repeated. Look before you call again.',
		data: { plugin: id, reason: error.message },
	});
}
