/* A channel that keeps what is posted, for tests of the peer alone. */
import { OrchestraError } from '../../src/errors.ts';
import type { Channel } from '../../src/rpc/channel.ts';
import type { Clock } from '../../src/rpc/clock.ts';

export class FakeChannel implements Channel {
	readonly sent: string[] = [];
	readonly strays: string[] = [];
	/** What `post` answers: false means congested. */
	hasRoom = true;
	isPaused = false;
	isBroken = false;
	#waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

	post(text: string): boolean {
		if (this.isBroken) throw new OrchestraError('io', 'IO error: write EPIPE');
		this.sent.push(text);
		return this.hasRoom;
	}

	flushed(): Promise<void> {
		if (this.hasRoom) return Promise.resolve();
		return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
	}

	/** The slow reader has caught up. */
	catchUp(): void {
		this.hasRoom = true;
		this.release();
	}

	/** The slow reader has taken what was posted so far; the next post is too much again. */
	release(): void {
		for (const { resolve } of this.#waiters.splice(0)) resolve();
	}

	/** The reader is gone. */
	breakDown(): void {
		this.isBroken = true;
		for (const { reject } of this.#waiters.splice(0))
			reject(new OrchestraError('io', 'IO error: write EPIPE'));
	}

	pause(): void {
		this.isPaused = true;
	}

	resume(): void {
		this.isPaused = false;
	}

	async close(): Promise<void> {
		this.isBroken = true;
	}

	logStray(text: string): void {
		this.strays.push(text);
	}

	/** The messages sent, parsed. */
	get messages(): unknown[] {
		return this.sent.map((text) => JSON.parse(text));
	}
}

/** A clock that moves only on request. */
export class FakeClock implements Clock {
	#now = 0;
	#timers: { at: number; action: () => void }[] = [];

	now(): number {
		return this.#now;
	}

	after(ms: number, action: () => void): () => void {
		const timer = { at: this.#now + ms, action };
		this.#timers.push(timer);
		return () => {
			this.#timers = this.#timers.filter((other) => other !== timer);
		};
	}

	/** How many timers are set. */
	get timerCount(): number {
		return this.#timers.length;
	}

	advance(ms: number): void {
		const until = this.#now + ms;
		for (;;) {
			const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
			if (next === undefined) break;
			this.#timers = this.#timers.filter((timer) => timer !== next);
			this.#now = next.at;
			next.action();
		}
		this.#now = until;
	}
}
