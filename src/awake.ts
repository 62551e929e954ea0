/*
 * Waiting awake for what comes next.
 *
 * A process that sleeps must be woken, and between two cores that takes longer
 * than a whole call: tens of microseconds, hundreds on a virtual machine, of which
 * the waker pays a part. Yet after one message the next is often close behind. So
 * for a moment the event loop turns instead of sleeping, which an immediate that
 * renews itself is enough for.
 *
 * It is a bet, and it is given up where it does not pay: each time in a row that
 * nothing came, twice as many messages go by before the next one is tried. A
 * process that is called now and then, or that shares its core with its caller,
 * sleeps as it always did.
 */

/** How long the loop turns after a message. */
const AWAKE_MS = 0.5;

/** Most messages that go by between two tries. */
const MAX_PASSED = 256;

let isAwake = false;
let awakeUntil = 0;
let losses = 0;
let toPass = 0;

/** A message came in, and the next may follow at once. */
export function stayAwake(): void {
	if (isAwake) {
		losses = 0;
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
	losses++;
	toPass = Math.min(2 ** losses, MAX_PASSED);
}
