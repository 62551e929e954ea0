/*
 * The calls of a plan that runs. Each is a call of the client: it enters the hub where a call of the client enters it, so
 * views, limits, policy, approvals, journal and traces are those of the client. It has a context of its own.
 *
 * It is the call of a client of the legacy era without tasks: the hub answers it when all is done, and asks
 * the client requests of servers on the way. Results are whole: the program reads them, not the model. What the plan returns is
 * shortened as the result of `run_plan`.
 */
import { OrchestraError, requestOutcomeOf, withHint } from '../../errors.ts';
import { CallContext, type ClientConnection } from '../../mcp/server/call-context.ts';
import type { PlanOfCall } from '../../mcp/server/call-observers.ts';
import { assertShallow } from '../../mcp/server/methods.ts';
import {
	type Answer,
	answerValue,
	type CallToolResult,
	type Tool,
	textsOf,
} from '../../protocol/mcp-types.ts';
import { negotiate } from '../../protocol/revisions.ts';
import { LEGACY_TASKS_VERSION, TASKS } from '../../protocol/tasks.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { signatureLine } from '../../schema/tool-signature.ts';
import { mistakesIn } from '../../schema/validate.ts';
import { isObject } from '../../wire/json.ts';
import { HubCall } from '../calls/hub-call.ts';
import { FIND_TOOLS } from '../expose/search-tools.ts';
import { LOOK, OTHER_LOOK } from '../results/look/look-tool.ts';
import type { ThreadCall } from './interpreter.ts';
import { PLAN_VALUE_CHARACTERS } from './plan-limits.ts';
import type { SentLine } from './plan-record.ts';
import { type CallOutcome, type LiveCalls, writtenOf } from './plan-run.ts';
import type { PlanTools } from './plan-tools.ts';

export interface HubCallsOptions {
	/** The context of the call of `run_plan`. */
	readonly context: CallContext;
	readonly plan: PlanOfCall;
	/** The tools of the client now; later ones while servers start and these are not enough. */
	readonly tools: (isEnough: (tools: PlanTools) => boolean) => Promise<PlanTools>;
	/** The names of those that the plan may call. */
	readonly allowed: ReadonlySet<string>;
	/** Makes a call of the client. */
	readonly send: (call: HubCall) => Answer | PromiseLike<Answer>;
	/** Cancels the calls. */
	readonly signal: AbortSignal;
}

export class HubCalls implements LiveCalls {
	readonly #options: HubCallsOptions;
	readonly #client: ClientConnection;
	/** The trace that the calls belong to. */
	readonly #trace: string | undefined;
	#made = 0;

	constructor(options: HubCallsOptions) {
		const { context } = options;
		const { clientCapabilities, clientInfo, sessionId, principal, tracer, meta } = context;
		const { tasks: _legacy, extensions, ...capabilities } = clientCapabilities;
		const { [TASKS]: _tasks, ...others } = isObject(extensions) ? extensions : {};
		this.#options = options;
		this.#client = {
			revision: negotiate(LEGACY_TASKS_VERSION),
			capabilities: { ...capabilities, extensions: others },
			clientInfo,
			sessionId,
			principal,
			// Whole results, and no task of its own.
			passesResultsOn: true,
			logLevel: () => undefined,
			notify: () => {},
		};
		const parent = meta['traceparent'];
		this.#trace = tracer?.sent() ?? (typeof parent === 'string' ? parent : undefined);
	}

	async make(call: ThreadCall, onSend: (name: string) => void): Promise<CallOutcome> {
		const found = await this.#find(call);
		if (typeof found === 'string') return failed(`${writtenOf(call)}: ${found}`);
		const { name } = found;
		const input: unknown = JSON.parse(call.json);
		if (!isObject(input)) return failed(`${writtenOf(call)}: the arguments of a tool are one object`);
		try {
			assertShallow(input);
			const schema = found.tool?.inputSchema;
			const wrong = schema ? await mistakesIn(schema, input, name) : [];
			if (schema && wrong.length > 0)
				return failed(`${writtenOf(call)}: ${[...wrong, signatureLine(name, schema)].join('\n')}`, name);
			const answer = await this.#send(call, { name, input, onSend });
			return outcomeOf(call, name, answerValue(answer));
		} catch (thrown) {
			this.#options.signal.throwIfAborted();
			const error = OrchestraError.from(thrown);
			const message = `${writtenOf(call)}: ${withHint(error)}`;
			const said = { message, code: error.code, outcome: requestOutcomeOf(thrown) };
			return { isOk: false, text: JSON.stringify(said), name };
		}
	}

	/** Ask the client that follows the plan. */
	async decide({ sent, name, place }: SentLine): Promise<'again' | 'fail'> {
		const { context, plan } = this.#options;
		const where = place === undefined ? '' : ` (${place})`;
		const about = `Call ${sent} of the plan, ${name}${where}, was sent, and the hub ended before its answer came. It is unknown whether it was made.`;
		const stopped = new OrchestraError('closed', `${about} It was not repeated`, {
			hint: `Look what it did, then decide: mctl plan resume ${plan.id.slice(0, 8)}`,
			data: { plan: plan.id, call: sent },
		});
		let answer: unknown;
		try {
			answer = await context.ask('elicitation/create', {
				mode: 'form',
				message: `${about} What shall the plan do?`,
				requestedSchema: {
					type: 'object',
					properties: { decision: { type: 'string', title: 'Decision', enum: [AGAIN, FAIL, STOP] } },
					required: ['decision'],
				},
			});
		} catch (error) {
			if (OrchestraError.is(error, 'canceled') || context.isCanceled) throw error;
			// The client cannot ask.
			throw stopped;
		}
		const content = isObject(answer) && answer['action'] === 'accept' ? answer['content'] : undefined;
		const decision = isObject(content) ? content['decision'] : undefined;
		if (decision === AGAIN) return 'again';
		if (decision === FAIL) return 'fail';
		throw stopped;
	}

	/** The tool, or a sentence about why the plan may not call it. */
	async #find({ server, tool }: ThreadCall): Promise<{ name: string; tool: Tool | undefined } | string> {
		const { tools, allowed } = this.#options;
		if (server === '') {
			const isTaken = (await tools(() => true)).has(tool === FIND_TOOLS ? FIND_TOOLS : LOOK);
			if (tool !== FIND_TOOLS) return { name: isTaken ? OTHER_LOOK : LOOK, tool: undefined };
			return isTaken ? `a tool of a server is called ${FIND_TOOLS}` : { name: FIND_TOOLS, tool: undefined };
		}
		const named = { server, tool };
		const found = (await tools((known) => typeof known.find(named) !== 'string')).find(named);
		if (typeof found === 'string') return found;
		const { name } = found.tool;
		if (allowed.has(name)) return { name, tool: found.tool };
		return `${name} is not one of the tools that were found in the program before it ran, so it is refused. Write its name out: ${found.written}`;
	}

	async #send(
		{ number }: ThreadCall,
		{ name, input, onSend }: { name: string; input: Record<string, unknown>; onSend: (name: string) => void },
	): Promise<Answer> {
		const { context: outer, plan, signal, send } = this.#options;
		const params = { name, arguments: input };
		const incoming = new IncomingCall(`"plan-${plan.id.slice(0, 8)}-${number}"`, 'tools/call', params);
		const meta = this.#trace === undefined ? {} : { traceparent: this.#trace };
		const context = new CallContext(this.#client, incoming, meta, {
			asker: { ask: (requests, _inner, withdrawn) => outer.askAll(requests, withdrawn) },
		});
		context.plan = plan;
		const call = new HubCall({ method: 'tools/call', params, context });
		call.onSend = () => onSend(call.name);
		outer.progress(++this.#made, undefined, name);
		const stop = onAbort(signal, () => incoming.cancel('the plan was canceled'));
		try {
			return await send(call);
		} finally {
			context.end();
			stop();
		}
	}
}

const AGAIN = 'call it again';
const FAIL = 'let the plan see an error';
const STOP = 'stop the plan';

/** The value that the program gets: the structured content, else the text, else the whole result. */
function outcomeOf(call: ThreadCall, name: string, result: Record<string, unknown>): CallOutcome {
	// The answer to a call of a tool.
	const { content, structuredContent, isError } = { content: [], ...result } as unknown as CallToolResult;
	const strings = textsOf({ content });
	if (isError === true) return failed(`${writtenOf(call)}: ${strings.join('\n') || 'it failed'}`, name);
	const isText = strings.length === content.length && content.length > 0;
	const value = structuredContent ?? (isText ? strings.join('\n') : { content });
	const text = JSON.stringify(value);
	if (text.length <= PLAN_VALUE_CHARACTERS) return { isOk: true, text, name };
	return failed(
		`${writtenOf(call)}: it was called, and its result has ${text.length} characters; a plan takes ${PLAN_VALUE_CHARACTERS}`,
		name,
	);
}

function failed(message: string, name?: string): CallOutcome {
	return { isOk: false, text: JSON.stringify({ message: message.slice(0, PLAN_VALUE_CHARACTERS) }), name };
}
