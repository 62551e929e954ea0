/* How often the processes of a backend started, since the backend was made. */

export class StartCounts {
	#starts = 0;
	#restarts = 0;
	#failedStarts = 0;

	/** @param isAgain whether the process crashed or did not start before */
	started(isAgain: boolean): void {
		this.#starts++;
		if (isAgain) this.#restarts++;
	}

	failed(): void {
		this.#failedStarts++;
	}

	get all(): { starts: number; restarts: number; failedStarts: number } {
		return { starts: this.#starts, restarts: this.#restarts, failedStarts: this.#failedStarts };
	}
}
