/*
 * Optional busy-poll: keep the event loop running for a moment after a message.
 *
 * Waking a sleeping process costs more than a whole call on two idle cores. On a busy machine, or on a core shared with the caller, a spinning
 * process keeps the caller from running, and the tail latency suffers far more
 * than the median gains. So it is off unless `ORCHESTRA_SPIN=1` is set
 * (docs/decisions/0005).
 */
import { SPIN_MS } from './core-limits.ts';

const isEnabled = process.env['ORCHESTRA_SPIN'] === '1';
let spinUntil = 0;
let isSpinning = false;

/** Call it when a message has arrived: the next one may follow at once. */
export function spinBriefly(): void {
	if (!isEnabled) return;
	spinUntil = performance.now() + SPIN_MS;
	if (isSpinning) return;
	isSpinning = true;
	setImmediate(spin);
}

function spin(): void {
	if (performance.now() < spinUntil) setImmediate(spin);
	else isSpinning = false;
}
