/*
 * A call on its way through the hub. It carries what was found about its target, so that each
 * middleware reads it and none looks it up again, and what the middlewares say about the call: the
 * decision of the policy, and how it ended.
 */
import type { CallContext } from '../../mcp/server/call-context.ts';
import { calls, targetKind, targetName } from '../../mcp/server/methods.ts';
import type { Call, CallMethod } from '../../mcp/server/provider.ts';
import type { ItemKind } from '../../protocol/item-lists.ts';
import { type Answer, type Awaitable, failure, type Tool } from '../../protocol/mcp-types.ts';
import type { GatedCall, PolicyOutcome } from '../../trust/call-gate.ts';
import type { NamedTool } from '../../trust/tool-name.ts';
import { isObject } from '../../wire/json.ts';
import type { CallEnd, StartedCall } from '../call-feed.ts';
import type { Route } from '../catalogue/merged-list.ts';
import { ReceivedAnswer } from '../sources/mcp/plain-call.ts';

/** Where a call goes; without an item when no list has it. */
export interface Target extends Pick<Route<unknown>, 'source' | 'name' | 'toolName'> {
	/** The item as the source listed it. */
	readonly item?: unknown;
	/** Another way to the source than its `request`. Its results have a form of their own. */
	readonly way?: OtherWay;
}

export interface OtherWay {
	send(): Awaitable<object>;
	/** The result of a call that the policy does not allow. */
	refuse(text: string): object;
}

const NOT_BEGUN = new Date(0);

export class HubCall implements StartedCall, GatedCall {
	readonly request: Call;
	/** The name of the client. */
	readonly client: string;
	/** The name that clients of the hub use for the item. */
	name: string;
	number = 0;
	startedAt: Date = NOT_BEGUN;
	beganAt = 0;
	/** Whether it passed as text so far: it was sent when the policy allowed it, and what changed since does not count. */
	readonly isSent: boolean = false;
	decision: Partial<PolicyOutcome> | undefined;
	/** Called when it is sent to its source. */
	onSend: (() => void) | undefined;
	/** Set when it has ended. */
	end: CallEnd | undefined;
	#target: Target | undefined;

	/** @param client default: as the client introduced itself */
	constructor(request: Call, client: string = clientName(request.context)) {
		this.request = request;
		this.client = client;
		this.name = targetName(request);
		const { received } = request.context;
		if (!(received instanceof ReceivedAnswer)) return;
		const { route, number, startedAt, beganAt } = received.call;
		this.isSent = true;
		this.name = route.name;
		this.number = number;
		this.startedAt = startedAt;
		this.beganAt = beganAt;
		this.decision = route.decision;
		this.#target = route.found;
	}

	get method(): CallMethod {
		return this.request.method;
	}

	get context(): CallContext {
		return this.request.context;
	}

	get caller(): CallContext {
		return this.request.context;
	}

	/** The arguments of a call of a tool. */
	get arguments(): unknown {
		return this.request.method === 'tools/call' ? this.request.params.arguments : undefined;
	}

	/** The kind of the item that it is about. */
	get kind(): ItemKind {
		return targetKind(this.request);
	}

	/** Whether journal and listeners get it. */
	get isReported(): boolean {
		return calls[this.request.method].isReported;
	}

	get isRouted(): boolean {
		return this.#target !== undefined;
	}

	/** Read when it was found. */
	get target(): Target {
		if (this.#target === undefined) throw new TypeError(`${this.name} has no target yet`);
		return this.#target;
	}

	/** It goes there from now on. A policy knows a tool by the name that clients of the whole hub see. */
	set target(target: Target) {
		this.#target = target;
		this.name = target.toolName?.name ?? this.name;
	}

	/** Whether it runs a program. */
	get isPlan(): boolean {
		return this.target.source.kind === 'plans';
	}

	get backend(): string {
		return this.target.source.id;
	}

	get toolName(): NamedTool | undefined {
		return this.target.toolName;
	}

	/** The description of the tool. */
	get tool(): Tool | undefined {
		// The item of a call of a tool is a tool.
		return this.method === 'tools/call' ? (this.target.item as Tool | undefined) : undefined;
	}

	/** The result when it is not made. */
	refused(text: string): Answer {
		const { way } = this.target;
		// Who chose the way knows the form of the result.
		return (way ? way.refuse(text) : failure(text)) as Answer;
	}

	/** It begins now. */
	begin(): void {
		this.startedAt = new Date();
		this.beganAt = performance.now();
	}
}

/** The name of the client of a call; empty when it is unknown. */
export function clientName({ clientInfo }: Pick<CallContext, 'clientInfo'>): string {
	const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
	return typeof name === 'string' ? name : '';
}
