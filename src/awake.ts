/*
 * Waiting awake for what comes next.
 *
 * A process that sleeps must be woken, and between two cores that takes longer
 * than a whole call: tens of microseconds, hundreds on a virtual machine, of which
 * the waker pays a part. Yet after one message the next is often close behind. So
 * for a moment the event loop turns instead of sleeping, which an immediate that
 * renews itself is enough for.
 *
 * It is a bet, and whoever messages come from has its own: what follows a request
 * may come much later than what follows an answer. A bet that wins earns credit
 * and one that loses costs some; without credit the process sleeps as it always
 * did, for twice as many messages each time, before it tries anew. A new start has
 * credit for several losses: a scheduler lets whoever slept run on, so on a core
 * that is shared with the caller the first tries keep the caller from its turn.
 * Only a process that has been awake for a while gives way at once.
 */

/** How long the loop turns after a message. */
const AWAKE_MS = 0.5;

/** How many bets may be lost after a new start. */
const FIRST_CREDIT = 8;

/** Who has this much is where it pays. */
const MAX_CREDIT = 16;

/** Least and most messages that go by before a new start. */
const MIN_PASSED = 16;
const MAX_PASSED = 1024;

/** The bet that keeps the loop turning. */
let standing: AwakeBet | undefined;
let awakeUntil = 0;
let isTurning = false;

/** The bets on what follows the messages of one source. */
export class AwakeBet {
	#credit = FIRST_CREDIT;
	#toPass = 0;
	#passedLast = 0;

	/** A message came from this source, and the next, from wherever, may follow at once. */
	place(): void {
		standing?.won();
		standing = undefined;
		if (this.#toPass > 0) {
			this.#toPass--;
			return;
		}
		stayAwake(this);
	}

	won(): void {
		if (this.#credit < MAX_CREDIT) this.#credit++;
		else this.#passedLast = 0;
	}

	lost(): void {
		if (--this.#credit > 0) return;
		this.#credit = FIRST_CREDIT;
		this.#passedLast = Math.min(Math.max(2 * this.#passedLast, MIN_PASSED), MAX_PASSED);
		this.#toPass = this.#passedLast;
	}
}

function stayAwake(bet: AwakeBet): void {
	standing = bet;
	awakeUntil = performance.now() + AWAKE_MS;
	if (isTurning) return;
	isTurning = true;
	setImmediate(turn);
}

function turn(): void {
	if (standing && performance.now() < awakeUntil) {
		setImmediate(turn);
		return;
	}
	standing?.lost();
	standing = undefined;
	isTurning = false;
}
