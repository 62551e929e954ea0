/* Exit codes are part of the API: scripts and agents branch on them. Never renumber. */
import type { ErrorCode } from '../errors.ts';

export const exitCodes: Record<ErrorCode, number> = {
	tool_failed: 1,
	not_found: 1,
	rpc: 1,
	internal: 2,
	bad_input: 64,
	closed: 69,
	spawn: 69,
	io: 69,
	bad_frame: 69,
	parse: 69,
	timeout: 124,
	canceled: 130,
};

/** Whether a code that came in a message is one of ours. */
export function isErrorCode(code: unknown): code is ErrorCode {
	return typeof code === 'string' && Object.hasOwn(exitCodes, code);
}
