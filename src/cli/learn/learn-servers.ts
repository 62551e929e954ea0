/*
 * Learn what servers offer that were never seen, before an agent asks for it: after a
 * command that adds or trusts them, with `mctl learn`, and after a session that was too
 * short. A server that another process learns is not started twice.
 */
import type { ServerEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { attempt } from '../../errors.ts';
import { isLearningOn } from '../../hub/shared/learner-standby.ts';
import { learningTurn } from '../../hub/sources/mcp/process/learning-lock.ts';
import { cacheFilesHere, forgetFailure, readKnown } from '../../hub/sources/mcp/server-cache.ts';
import { printableLine } from '../../printable.ts';
import type { CommandInput } from '../command.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import { checkServer, eachServer } from './check-servers.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;
type LearnInput = Pick<CommandInput, 'cwd' | 'environment' | 'signal' | 'out'>;

/** What became of a server. */
export interface LearntServer {
	readonly name: string;
	/** Undefined when it could not be listed, and when another process learns it. */
	readonly tools?: number | undefined;
	/** Why it could not be listed. */
	readonly error?: { readonly message: string; readonly hint?: string | undefined } | undefined;
}

/** True for a server that was never seen. */
export function isUnknown(entry: ServerEntry, environment: Environment): boolean {
	// A damaged file is written again.
	return attempt(() => readKnown(cacheFilesHere(entry, environment)) === undefined, true);
}

/** Let the next list wait for servers that failed, after the user did something about them. */
export function forgetFailures(entries: readonly ServerEntry[], environment: Environment): void {
	for (const entry of entries) {
		// It is started in the background all the same.
		attempt(() => forgetFailure(cacheFilesHere(entry, environment)));
	}
}

/** Learn servers, with a progress bar on a terminal. `skipsBusy` leaves out those that another process learns. */
export async function learnServers(
	entries: readonly ServerEntry[],
	input: LearnInput,
	skipsBusy = false,
): Promise<LearntServer[]> {
	const bar = new ProgressBar(input.out);
	const show = (progress: number): void =>
		bar.show({ progress, total: entries.length, message: 'servers listed for the first time' });
	show(0);
	const learn = (entry: ServerEntry): Promise<LearntServer> => learnServer(entry, input, skipsBusy);
	return eachServer(entries, input.signal, learn, show).finally(() => bar.end());
}

async function learnServer(entry: ServerEntry, input: LearnInput, skipsBusy: boolean): Promise<LearntServer> {
	const { name, settings } = entry;
	const { environment, signal } = input;
	const waitMs = skipsBusy ? 0 : settings.startMs;
	const turn = await learningTurn(cacheFilesHere(entry, environment), { environment, waitMs, signal });
	if (turn === undefined && skipsBusy) return { name };
	if (turn && 'known' in turn) return { name, tools: turn.known.tools.length };
	try {
		const check = await checkServer(entry, input, settings.startMs);
		return check.isOk ? { name, tools: check.tools } : { name, error: check.error };
	} finally {
		turn?.lock.release();
	}
}

/** Learn the servers of this folder that were never seen, and say what came of it on stderr. Never fails the command. */
export async function learnHere(
	input: LearnInput,
	isMeant: (entry: ServerEntry) => boolean = () => true,
): Promise<void> {
	const { cwd, environment, signal, out } = input;
	const { mcpServers } = loadConfiguration({ cwd, environment }).configuration;
	const unknown = mcpServers.filter(
		(entry) => entry.isEnabled && isMeant(entry) && isUnknown(entry, environment),
	);
	forgetFailures(unknown, environment);
	const wanted = isLearningOn(environment) ? unknown.filter(({ settings }) => settings.learn) : [];
	if (wanted.length === 0) return;
	const learnt = await learnServers(wanted, input).catch(() => []); // interrupted: they stay unknown
	if (signal.aborted) return;
	for (const { name, tools, error } of learnt) {
		const [reason = ''] = error?.message.split('\n', 1) ?? [];
		if (tools === undefined) out.note(`note: ${printableLine(`${name} could not be listed yet: ${reason}`)}`);
	}
	const names = learnt.filter(({ tools }) => tools !== undefined);
	if (names.length > 0)
		out.note(
			`Listed: ${names.map(({ name, tools }) => `${printableLine(name)} (${tools} tools)`).join(', ')}`,
		);
}
