/* The marks of a report: `[ ok ]`, `[warn]`, `[FAIL]`. */
import type { Output, StyleName } from './output.ts';

export type Verdict = 'ok' | 'warn' | 'fail';

const marks: Readonly<Record<Verdict, readonly [StyleName, string]>> = {
	ok: ['green', '[ ok ]'],
	warn: ['yellow', '[warn]'],
	fail: ['red', '[FAIL]'],
};

export function verdictMark(out: Output, verdict: Verdict): string {
	return out.style(...marks[verdict]);
}
