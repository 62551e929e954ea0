/* What is said of project files that are not trusted: on stderr and in JSON. */
import { type BlockedFile, blockedText, trustHint } from '../config/trust/blocked.ts';
import { printable } from '../printable.ts';
import type { Output } from './terminal/output.ts';

/** One sentence and a hint for each file. */
export function reportBlocked(blocked: readonly BlockedFile[], out: Output): void {
	for (const file of blocked)
		out.info(`mctl: ${printable(blockedText(file))}\nhint: ${printable(trustHint(file))}`);
}

/** Each file with the effects that it does not have now. */
export function blockedJson(blocked: readonly BlockedFile[]): object[] {
	return blocked.map(({ file, reason, effects }) => ({
		file,
		reason,
		effects: effects.filter(({ isBlocked }) => isBlocked),
	}));
}
