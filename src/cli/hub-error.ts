/* An error that the hub or a server answered, as an error of this command: its code gives the exit code. */
import { OrchestraError } from '../errors.ts';
import { rpcErrorOf } from '../rpc/rpc-error.ts';
import { isObject } from '../wire/json.ts';
import { exitCodes } from './exit.ts';

/** The error with the code and the hint that came with it. */
export function errorOfHub(thrown: unknown): OrchestraError {
	const rpc = rpcErrorOf(thrown);
	if (rpc === undefined) return OrchestraError.from(thrown);
	const { code, hint, ...data } = isObject(rpc.data) ? rpc.data : {};
	const isKnown = typeof code === 'string' && Object.hasOwn(exitCodes, code);
	const { details } = data;
	const found = [hint, isObject(details) ? details['hint'] : undefined];
	const advice = found.find((each): each is string => typeof each === 'string');
	// For agents the hint is the last line of the message too.
	const message = advice === undefined ? rpc.message : rpc.message.replace(`\nNext: ${advice}`, '');
	return new OrchestraError(isKnown ? (code as keyof typeof exitCodes) : 'rpc', message, {
		...(advice !== undefined && { hint: advice }),
		data: { rpcCode: rpc.code, ...data },
		cause: thrown,
	});
}
