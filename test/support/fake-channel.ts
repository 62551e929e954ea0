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
	#release: () => void = () => {};

	post(text: string): boolean {
		if (this.isBroken) throw new OrchestraError('io', 'IO error: write EPIPE');
		this.sent.push(text);
		return this.hasRoom;
	}

	flushed(): Promise<void> {
		return this.hasRoom ? Promise.resolve() : new Promise((resolve) => (this.#release = resolve));
	}

	/** The slow reader has caught up. */
	catchUp(): void {
		this.hasRoom = true;
		this.#release();
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

	noteStray(text: string): void {
		this.strays.push(text);
	}

	/** The messages sent, parsed. */
	get messages(): unknown[] {
		return this.sent.map((text) => JSON.parse(text));
	}
}

/** A clock that moves only when told to. */
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
