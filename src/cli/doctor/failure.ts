/* What a check of `mctl doctor` threw, as its finding. */
import { OrchestraError } from '../../errors.ts';
import type { DoctorFinding } from './doctor-checks.ts';

/** @param fix when it has no hint */
export function failure(thrown: unknown, what: string, fix: string): DoctorFinding {
	const { message, hint } = OrchestraError.from(thrown);
	return { verdict: 'fail', text: what + message, fix: hint ?? fix };
}
