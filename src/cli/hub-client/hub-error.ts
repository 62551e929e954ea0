/* An error that the hub or a server answered, as an error of this command: its code gives the exit code. */
import { OrchestraError } from '../../errors.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { isErrorCode } from '../exit.ts';

/** The error with the code and the hint that came with it. */
export function errorOfHub(thrown: unknown): OrchestraError {
	const rpc = rpcErrorOf(thrown);
	const error = OrchestraError.from(thrown);
	const sent = rpc?.data ?? { code: error.code, hint: error.hint, ...error.data };
	const { code, hint, ...data } = isObject(sent) ? sent : {};
	const { details } = data;
	const found = [hint, isObject(details) ? details['hint'] : undefined];
	const advice = found.find((each): each is string => typeof each === 'string');
	const message = rpc?.message ?? error.message;
	return new OrchestraError(isErrorCode(code) ? code : 'rpc', withoutAdvice(message, advice), {
		hint: advice,
		data: { ...(rpc && { rpcCode: rpc.code }), ...data },
		cause: thrown,
	});
}

/** The message without the hint, which is its last line for agents. */
function withoutAdvice(message: string, advice: string | undefined): string {
	return advice === undefined ? message : message.replace(`\nNext: ${advice}`, '');
}
