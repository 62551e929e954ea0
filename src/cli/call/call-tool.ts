/* One call of a tool, for `mctl call` and `mctl run`: the tool is found, its input is read, and it is called once. */
import type { OrchestraError } from '../../errors.ts';
import type { ElicitResult } from '../../protocol/client-methods.ts';
import type { Command, CommandInput } from '../command.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import { readCallInput } from '../input/read-input.ts';
import { type CallHandlers, withTools } from '../target/call-session.ts';
import type { CallTarget } from '../target/call-target.ts';
import { findTarget, nameOf } from '../target/find-target.ts';

/** What shows a call while it runs. */
interface CallReport {
	/** The tool is called now. */
	start?(tool: string): void;
	/** Params of `notifications/progress`. */
	progress(params: unknown): void;
	/** Params of `notifications/message`. */
	log(params: unknown): void;
	/** Remove what redraws itself: an elicitation or the end follows. */
	clear(): void;
}

export interface ToolCall {
	/** Its usage is in errors. */
	readonly command: Pick<Command, 'usage'>;
	readonly target: CallTarget;
	/** Suggested when there is no such tool. */
	readonly otherNames: readonly string[];
	/** Default: the limit of the hub or of the server. */
	readonly timeoutMs: number | undefined;
}

/** The end of a call: a result, or why there is none. */
export interface EndedCall {
	readonly tool: string;
	readonly elapsedMs: number;
	readonly result: ListedItem | OrchestraError;
}

/** Call the tool. Throws `bad_input` when there is none of this name, or its input does not fit. */
export function callTool(call: ToolCall, report: CallReport, input: CommandInput): Promise<EndedCall> {
	const { command, target, otherNames, timeoutMs } = call;
	return withTools(target, input, handlersOf(report, input), async (session) => {
		const item = await findTarget(target, session, input, otherNames);
		const values = await readCallInput(command, input, item, target.args);
		const tool = nameOf(item);
		report.start?.(tool);
		const startedAt = performance.now();
		const onProgress = (params: unknown): void => report.progress(params);
		const options = { signal: input.signal, onProgress, maxTotalMs: timeoutMs };
		const result = await session.callTool(tool, values, options).catch(errorOfHub);
		report.clear();
		return { tool, elapsedMs: Math.round(performance.now() - startedAt), result };
	});
}

/** A server may ask when there is a user at the terminal; else its elicitation is declined. */
export function handlersOf(
	report: Pick<CallReport, 'clear' | 'log'>,
	{ out, stdin, signal }: CommandInput,
): CallHandlers {
	const onElicitation = async (params: unknown): Promise<ElicitResult> => {
		report.clear();
		if (stdin().isTTY !== true || !out.hasLiveStderr) return { action: 'decline' };
		const { askForm } = await import('../terminal/elicitation-form.ts');
		return askForm(params, { out, stdin, signal });
	};
	return { onElicitation, onLog: (params) => report.log(params) };
}
