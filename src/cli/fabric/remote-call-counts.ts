/* The calls of this folder to workers, as its journals have them: how many, and the last that failed. */
import type { CommandPlace } from '../command.ts';
import { callOf, journalsHere, type LoggedCall, readJournal } from '../log/read-journals.ts';

const MINUTE_MS = 60_000;
export const FAILURES_SHOWN = 5;

/** A call that failed on its way to a worker, or there. */
interface RemoteFailure {
	readonly at: string;
	readonly name: string;
	readonly error: string;
	readonly remote: string | null;
	/** The one that had accepted it. */
	readonly worker: string | null;
	/** All of it in one line. */
	readonly text: string;
}

export interface RemoteCallCounts {
	readonly lastMinute: number;
	/** The calls by the worker that accepted them. */
	readonly byWorker: Readonly<Record<string, number>>;
	/** The oldest first. */
	readonly failures: readonly RemoteFailure[];
}

export function remoteCalls({ cwd, environment }: CommandPlace): RemoteCallCounts {
	const since = Date.now() - MINUTE_MS;
	const calls = journalsHere({ cwd, environment })
		.flatMap((file) => readJournal(file))
		.flatMap(({ text }) => text.split('\n'))
		.flatMap((line): LoggedCall[] => [callOf(line) ?? []].flat())
		.filter((call) => call['backend'] === 'fabric');
	const failed = calls.filter((call) => call['outcome'] === 'error').slice(-FAILURES_SHOWN);
	const recent = calls.filter((call) => Date.parse(String(call['at'])) >= since);
	const byWorker: Record<string, number> = {};
	for (const { worker } of recent)
		if (typeof worker === 'string') byWorker[worker] = (byWorker[worker] ?? 0) + 1;
	return { lastMinute: recent.length, byWorker, failures: failed.map(remoteFailure) };
}

function remoteFailure(call: LoggedCall): RemoteFailure {
	const text = (name: string): string | null => (typeof call[name] === 'string' ? call[name] : null);
	const [at, name] = [String(call['at']), String(call['name'])];
	const [remote, worker, error] = [text('remote'), text('worker'), text('error') ?? 'failed'];
	const outcome = remote === 'unknown' ? 'outcome unknown' : (remote?.replace('_', ' ') ?? error);
	const where = worker === null ? '' : ` at ${worker}`;
	return { at, name, error, remote, worker, text: `${at}: ${name}${where} (${outcome})` };
}
