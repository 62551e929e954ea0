/*
 * One process at a time starts a server to read its lists: two first starts of one
 * `npx` package disturb each other, and the second list is of no use. The lock is a bound
 * socket, which the system releases whenever its process ends.
 */
import { homedir } from 'node:os';
import { attempt } from '../../../../errors.ts';
import { hashedName } from '../../../../files/sha256.ts';
import { polled } from '../../../../rpc/clock.ts';
import { type HubLock, noLock, takeHubLock } from '../../../shared/hub-lock.ts';
import { LEARNING_LOCK_POLL_MS } from '../../source-limits.ts';
import { type CachedServer, type CacheFiles, readKnown } from '../server-cache.ts';

/** The right to learn a server, or what another process has learnt of it. */
export type LearningTurn = { readonly lock: HubLock } | { readonly known: CachedServer };

export interface LearningTurnOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** How long another process may take, in milliseconds. */
	readonly waitMs: number;
	/** Aborted when no caller needs the server any more. */
	readonly signal: AbortSignal;
}

/** Undefined while another process learns the server. */
function takeLearningLock(
	{ file }: CacheFiles,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<HubLock | undefined> {
	const name = `orchestra-learn-${process.getuid?.() ?? 'user'}-${hashedName(file)}`;
	// Where no socket can be bound, each process learns it.
	return takeHubLock(name, environment['HOME'] || homedir()).catch(() => noLock);
}

/**
 * Wait until no other process learns the server; undefined when that takes too long. The wait keeps the process alive,
 * because the answer of a command may depend on it. Rejects with the reason of `signal`.
 */
export function learningTurn(
	files: CacheFiles,
	{ environment, waitMs, signal }: LearningTurnOptions,
): Promise<LearningTurn | undefined> {
	const take = async (): Promise<LearningTurn | undefined> => {
		const lock = await takeLearningLock(files, environment);
		const known = lock && storedAt(files);
		if (known) lock.release();
		return known ? { known } : lock && { lock };
	};
	return polled(take, { everyMs: LEARNING_LOCK_POLL_MS, forMs: waitMs, signal });
}

function storedAt(files: CacheFiles): CachedServer | undefined {
	// A damaged file is written again.
	return attempt(() => readKnown(files));
}
