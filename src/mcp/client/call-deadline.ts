/* The total deadline and the cancellation of a call that may take several requests. */
import { OrchestraError } from '../../errors.ts';
import { abortable, onAbort } from '../../rpc/abortable.ts';
import { timerMs } from '../../rpc/clock.ts';
import type { McpCallOptions } from './call-options.ts';
import { requestError } from './phase-error.ts';

/**
 * The outcome of `work`, or the end of its deadline, whichever is first. It gets a signal that is aborted when the
 * caller cancels or the total time is over, and the total timeout of its next request.
 */
export async function beforeDeadline<T>(
	method: string,
	{ maxMs = Number.POSITIVE_INFINITY, signal }: Pick<McpCallOptions, 'maxMs' | 'signal'>,
	work: (signal: AbortSignal, left: () => TotalTimeout) => Promise<T>,
): Promise<T> {
	const ends = new AbortController();
	const endsAt = performance.now() + maxMs;
	const onTimeout = (): void => ends.abort(totalTimeIsOver(method, maxMs));
	const timer = maxMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTimeout, timerMs(maxMs));
	const stopListening = onAbort(signal, () => ends.abort(canceledBy(method, signal?.reason)));
	try {
		return await abortable(() => work(ends.signal, () => totalUntil(endsAt)), ends.signal);
	} finally {
		clearTimeout(timer);
		stopListening();
	}
}

export interface TotalTimeout {
	readonly maxTotalMs?: number;
}

/** The total timeout of a request that is part of what must end then. */
export function totalUntil(endsAt: number): TotalTimeout {
	return endsAt === Number.POSITIVE_INFINITY ? {} : { maxTotalMs: Math.max(1, endsAt - performance.now()) };
}

function canceledBy(method: string, cause: unknown): OrchestraError {
	return new OrchestraError('canceled', `${method} was canceled by its caller`, {
		cause,
		data: { phase: 'call' },
	});
}

function totalTimeIsOver(method: string, timeoutMs: number): OrchestraError {
	const data = { timeoutMs, kind: 'total' };
	return requestError(new OrchestraError('timeout', 'total time is over', { data }), method);
}
