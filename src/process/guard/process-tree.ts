/*
 * A child and all its descendants: its process group, and the marked processes that left it.
 *
 * Descendants may outlive the leader; the tree is gone when none is left. There is no
 * event for that, so it is polled.
 */
import { isGroupLeft, isLiveMember, polledUntilGone, signalGroup, signalProcess } from '../group.ts';
import { STOP_KILL_MS, STOP_TERM_MS } from '../process-limits.ts';
import { findMarkedSoon, isMarked, type Origin } from './process-marks.ts';

export class ProcessTree {
	readonly #origin: Origin;
	readonly #mark: string | undefined;
	#escaped: number[] = [];
	#lastSignal: NodeJS.Signals = 'SIGTERM';

	/** `origin` leads the group; `mark` is the mark that its descendants inherit, if any. */
	constructor(origin: Origin, mark: string | undefined) {
		this.#origin = origin;
		this.#mark = mark;
	}

	/** After the leader has exited: whether it left processes behind. */
	async hasLeftovers(): Promise<boolean> {
		if (signalGroup(this.#origin.pid, 0)) return true;
		return this.#mark !== undefined && (await findMarkedSoon(this.#mark, this.#origin)).length > 0;
	}

	/** Send a signal to every process of the tree, to its group at once; false when none is left. */
	async signal(signal: NodeJS.Signals): Promise<boolean> {
		this.#lastSignal = signal;
		const hasGroup = signalGroup(this.#origin.pid, signal);
		return (await this.#signalEscaped(signal)) || hasGroup;
	}

	/** Wait until no process of the tree is alive; false when `ms` passed first. */
	gone(ms: number): Promise<boolean> {
		return polledUntilGone(ms, (isScan) => this.#isAnyLeft(isScan));
	}

	/** The stop ladder without its first step: SIGTERM, a wait, SIGKILL. Resolves when nothing is left. */
	async stop(): Promise<void> {
		if (!(await this.signal('SIGTERM'))) return;
		if (await this.gone(STOP_TERM_MS)) return;
		await this.signal('SIGKILL');
		await this.gone(STOP_KILL_MS);
	}

	async #isAnyLeft(isScan: boolean): Promise<boolean> {
		if (isGroupLeft(this.#origin.pid, isScan)) return true;
		if (this.#escaped.some((pidOutside) => isMarked(pidOutside, this.#mark ?? ''))) return true;
		// All known processes are gone; those that they started meanwhile get the same signal.
		return this.#signalEscaped(this.#lastSignal);
	}

	/** Signal the marked processes outside the group; a second signal makes many programs stop without cleanup. */
	async #signalEscaped(signal: NodeJS.Signals): Promise<boolean> {
		const marked = this.#mark === undefined ? [] : await findMarkedSoon(this.#mark, this.#origin);
		this.#escaped = marked.filter((pid) => !isLiveMember(pid, this.#origin.pid));
		for (const pid of this.#escaped) signalProcess(pid, signal);
		return this.#escaped.length > 0;
	}
}

/** Stop a process group alone, whose mark is not known. */
export function stopGroup(group: number): Promise<void> {
	return new ProcessTree({ pid: group, startedAt: performance.now() }, undefined).stop();
}
