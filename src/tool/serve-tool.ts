/*
 * The subpath `orchestra-hub/tool`: a tool in TypeScript or JavaScript, in a few lines.
 *
 *     serveTool(async ({ input, log }) => {
 *         log.info('greeting');
 *         return { message: `Hello, ${input.name}!` };
 *     });
 *
 * It reads the request, sends `started`, and turns what the function returns or
 * throws into the last event and the exit code. A stray `console.log` goes to stderr.
 */
import { messageOf, OrchestraError, toolFailure } from '../errors.ts';
import { reserveStdout } from '../transport/reserve-stdout.ts';
import { isObject, type JsonObject, jsonObject } from '../wire/json.ts';

export { OrchestraError, type ToolFailureDetails, toolFailure } from '../errors.ts';

/** Log lines of a tool, as events. */
interface ToolLog {
	debug(message: string, data?: object): void;
	info(message: string, data?: object): void;
	warn(message: string, data?: object): void;
	error(message: string, data?: object): void;
}

/** The input and context of one run. */
export interface ToolCall<Input = JsonObject> {
	readonly toolId: string;
	/** The input as the runner gave it; checked against the manifest's `inputSchema` when there is one. */
	readonly input: Input;
	/** The declared configuration keys, flat and dotted. */
	readonly config: JsonObject;
	/** Absolute folder that the user works in. */
	readonly workspaceRoot: string;
	readonly log: ToolLog;
	/** How far the work is; `total` when it is known. */
	progress(progress: number, total?: number, message?: string): void;
	/** A file that was made, relative to `workspaceRoot` or absolute. */
	artifact(path: string, about?: { mimeType?: string; name?: string }): void;
}

/** Does the work; what it returns is the result, an object of JSON values. */
export type ToolFunction<Input = JsonObject> = (call: ToolCall<Input>) => object | Promise<object>;

const EXIT_FAILED = 1;
const EXIT_CRASHED = 2;

/** Be a tool: one request from stdin, events to stdout, then the exit code. */
export async function serveTool<Input = JsonObject>(work: ToolFunction<Input>): Promise<void> {
	const { write } = reserveStdout();
	let toolId = 'unknown';
	const emit = (type: string, payload: object): void => {
		write(`${JSON.stringify({ type, ts: new Date().toISOString(), toolId, payload })}\n`);
	};
	try {
		const request = await readRequest();
		toolId = request.toolId;
		emit('started', {});
		// The runner has checked the input against the manifest; the type is the author's word for that schema.
		emit('result', await work({ ...request, input: request.input as Input, ...reporters(emit) }));
	} catch (error) {
		process.exitCode = reportFailure(error, emit);
	}
}

type Emit = (type: string, payload: object) => void;

function reporters(emit: Emit): Pick<ToolCall, 'log' | 'progress' | 'artifact'> {
	const at = (level: string) => (message: string, data?: object) => {
		emit('log', { level, message, ...(data && { data }) });
	};
	return {
		log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
		progress: (progress, total, message) => emit('progress', { progress, total, message }),
		artifact: (path, about) => emit('artifact', { path, ...about }),
	};
}

function reportFailure(error: unknown, emit: Emit): number {
	if (!OrchestraError.is(error, 'tool_failed')) {
		process.stderr.write(`${error instanceof Error ? error.stack : messageOf(error)}\n`);
		return EXIT_CRASHED;
	}
	emit('error', { message: error.message, ...error.data });
	return EXIT_FAILED;
}

async function readRequest(): Promise<Pick<ToolCall, 'toolId' | 'input' | 'config' | 'workspaceRoot'>> {
	const chunks: Buffer[] = [];
	for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
	const request = jsonObject(Buffer.concat(chunks).toString('utf8'));
	const context = request?.['context'];
	if (request === undefined || !isObject(context)) {
		throw toolFailure('stdin does not hold a Tool Protocol request', {
			code: 'BAD_REQUEST',
			recoverable: false,
		});
	}
	const { toolId, config, workspaceRoot } = context;
	return {
		toolId: typeof toolId === 'string' ? toolId : 'unknown',
		input: objectOr(request['input']),
		config: objectOr(config),
		workspaceRoot: typeof workspaceRoot === 'string' ? workspaceRoot : process.cwd(),
	};
}

function objectOr(value: unknown): JsonObject {
	// It came out of a JSON text.
	return isObject(value) ? (value as JsonObject) : {};
}
