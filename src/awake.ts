/*
 * Waiting awake for what comes next.
 *
 * A process that sleeps must be woken, and between two cores that takes longer
 * than a whole call: tens of microseconds, hundreds on a virtual machine, of which
 * the waker pays a part. Yet after one message the next is often close behind. So
 * for a moment the event loop turns instead of sleeping, which an immediate that
 * renews itself is enough for.
 *
 * It is a bet, and it is given up where it does not pay. A try that wins earns
 * credit and one that loses costs some; without credit the process sleeps as it
 * always did, for twice as many messages each time, before it tries anew. A new
 * start has credit for several losses: a scheduler lets whoever slept run on, so
 * on a core that is shared with the caller the first tries keep the caller from
 * its turn. Only a process that has been awake for a while gives way at once.
 */

/** How long the loop turns after a message. */
const AWAKE_MS = 0.5;

/** How many tries may be lost after a new start. */
const FIRST_CREDIT = 8;

/** Who has this much is where it pays. */
const MAX_CREDIT = 16;

/** Least and most messages that go by before a new start. */
const MIN_PASSED = 16;
const MAX_PASSED = 1024;

let isAwake = false;
let awakeUntil = 0;
let credit = FIRST_CREDIT;
let toPass = 0;
let passedLast = 0;

/** A message came in, and the next may follow at once. */
export function stayAwake(): void {
	if (isAwake) {
		won();
	} else if (toPass > 0) {
		toPass--;
		return;
	} else {
		isAwake = true;
		setImmediate(turn);
	}
	awakeUntil = performance.now() + AWAKE_MS;
}

function turn(): void {
	if (performance.now() < awakeUntil) {
		setImmediate(turn);
		return;
	}
	isAwake = false;
	lost();
}

function won(): void {
	if (credit < MAX_CREDIT) credit++;
	else passedLast = 0;
}

function lost(): void {
	if (--credit > 0) return;
	credit = FIRST_CREDIT;
	passedLast = Math.min(Math.max(2 * passedLast, MIN_PASSED), MAX_PASSED);
	toPass = passedLast;
}
