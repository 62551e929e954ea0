/* Wait for servers that start, as long as a better answer is worth it, and report progress meanwhile. */
import type { CallContext } from '../../mcp/server/call-context.ts';
import { within } from '../../rpc/clock.ts';
import { WAIT_PROGRESS_MS } from './expose-limits.ts';
import type { SearchedTools } from './tool-exposure.ts';

/** The best value so far. */
export interface FoundSoFar<T> {
	readonly value: T;
	/** How long after the begin of the call a better value is worth a wait. */
	readonly waitMs: number;
}

/** Call `look` again whenever a server that was late has answered, until its value is good enough or the time is over. */
export async function awaitServers<T>(
	context: CallContext,
	servers: Pick<SearchedTools, 'absent' | 'nextAnswer'>,
	look: () => Promise<FoundSoFar<T>>,
): Promise<T> {
	const beganAt = performance.now();
	for (;;) {
		const next = servers.nextAnswer(); // before the look, which takes time: an answer meanwhile counts
		const { value, waitMs } = await look();
		if (next === undefined || !(await answersBy(beganAt + waitMs, next, context, servers))) return value;
	}
}

/** True when `next` resolved before the deadline and the end of the call. */
async function answersBy(
	deadline: number,
	next: Promise<unknown>,
	context: CallContext,
	{ absent }: Pick<SearchedTools, 'absent'>,
): Promise<boolean> {
	const answered = next.then(() => true);
	for (let step = 1; ; step++) {
		const leftMs = deadline - performance.now();
		if (leftMs <= 0 || context.isCanceled) return false;
		const starting = absent().flatMap(({ id, state }) => (state === 'starting' ? id : []));
		if (starting.length > 0) context.progress(step, undefined, `waiting for ${starting.join(', ')} to start`);
		if (await within(answered, Math.min(leftMs, WAIT_PROGRESS_MS), false)) return true;
	}
}
