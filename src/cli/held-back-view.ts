/* Project files that are not trusted, on stderr and in JSON. */
import { type HeldBack, heldBackText, trustHint } from '../config/trust/held-back.ts';
import { printable } from '../printable.ts';
import type { Output } from './terminal/output.ts';

/** One sentence and a hint for each file. */
export function noteHeldBack(heldBack: readonly HeldBack[], out: Output): void {
	for (const held of heldBack)
		out.note(`mctl: ${printable(heldBackText(held))}\nhint: ${printable(trustHint(held))}`);
}

/** Each file with the effects that it does not have now. */
export function heldBackJson(heldBack: readonly HeldBack[]): object[] {
	return heldBack.map(({ file, reason, effects }) => ({
		file,
		reason,
		effects: effects.filter(({ isHeld }) => isHeld),
	}));
}
