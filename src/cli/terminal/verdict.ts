/* The marks of a report: `[ ok ]`, `[warn]`, `[FAIL]`. */
import type { Output } from './output.ts';

export type Verdict = 'ok' | 'warn' | 'fail';

export function verdictMark(out: Output, verdict: Verdict): string {
	switch (verdict) {
		case 'ok':
			return out.style('green', '[ ok ]');
		case 'warn':
			return out.style('yellow', '[warn]');
		case 'fail':
			return out.style('red', '[FAIL]');
	}
}
