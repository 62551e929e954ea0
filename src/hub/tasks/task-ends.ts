/*
 * Ends of tasks that could not be stored, because the disk is full or read-only. The clients of this process get them
 * from memory; they are stored as soon as there is room. Results have a bound here: the oldest make way.
 */
import type { LiveTask } from './live-task.ts';
import { TASK_STORE_RETRY_MS, TASK_UNSTORED_CHARACTERS } from './task-limits.ts';
import { isOver } from './task-record.ts';

export class TaskEnds {
	readonly #tasks = new Map<string, LiveTask>();
	#timer: NodeJS.Timeout | undefined;

	get(id: string): LiveTask | undefined {
		return this.#tasks.get(id);
	}

	add(task: LiveTask): void {
		this.#tasks.set(task.record.id, task);
		let characters = 0;
		for (const one of [...this.#tasks.values()].reverse()) {
			characters += one.state.result?.text.length ?? 0;
			if (characters > TASK_UNSTORED_CHARACTERS) one.dropResult();
		}
		this.#retryLater();
	}

	/** The last attempt. */
	async close(): Promise<void> {
		await this.#storeAll();
		clearTimeout(this.#timer);
	}

	#retryLater(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			void this.#storeAll().then(() => {
				if (this.#tasks.size > 0) this.#retryLater();
			});
		}, TASK_STORE_RETRY_MS).unref();
	}

	async #storeAll(): Promise<void> {
		for (const [id, task] of [...this.#tasks]) {
			await task.storeAgain();
			if (task.isStored || isOver(task.state)) this.#tasks.delete(id);
		}
	}
}
