/*
 * The plain route: calls of tools that pass through the hub as text.
 *
 * For each client and tool there is a compiled route to a running server process. It holds
 * while the catalogue, the configuration and the connection are those that it was made of. It
 * is not used while something needs the values of a call: a rule that denies or asks, a listener
 * of calls. The general route (`Hub.life`) is the reference; both write the same journal line.
 */
import type { CallContext } from '../../mcp/server/call-context.ts';
import {
	type TextCallsClient,
	type ToolForwarder,
	textCallContext,
} from '../../mcp/server/text-calls-client.ts';
import type { Implementation, Result, Tool } from '../../protocol/mcp-types.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import type { PolicyOutcome } from '../../trust/call-gate.ts';
import { JsonText } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import type { MessageView } from '../../wire/message-view.ts';
import type { Route } from '../catalogue/merged-list.ts';
import { CANONICAL_CHARACTERS, PLAIN_ROUTES_LIMIT } from '../hub-limits.ts';
import type { JournalEntry } from '../journal/journal.ts';
import type { ClientCalls } from '../loops/client-calls.ts';
import { able } from '../source.ts';
import { PlainCall, type PlainRoute, type PlainTarget } from '../sources/mcp/plain-call.ts';
import { clientName } from './hub-call.ts';
import { traceOf } from './journal-calls.ts';

export interface PlainRoutesDeps {
	/** Changes with everything that a route depends on. */
	readonly generation: () => number;
	/** The hub, for modern clients. */
	readonly info: Implementation;
	/** False while values of calls are needed. */
	readonly isOpen: () => boolean;
	/** The rules of now: another object after each change. */
	readonly policy: () => object | undefined;
	/** The policy entry of the journal for calls of a tool that pass without an approval; undefined when they do not. */
	readonly verdict: (name: string, route: Route<Tool>, client: string) => Partial<PolicyOutcome> | undefined;
	/** The route of a tool that the client of a call sees; undefined when it is not known at once. */
	readonly find: (name: string, context: CallContext) => Route<Tool> | undefined;
	/** Largest result that is not shortened, in characters. */
	readonly limitCharacters: (context: CallContext, route: Route<Tool>) => number;
	/** Limits the calls of a client; undefined when nothing does. */
	readonly watch: (context: CallContext) => ClientCalls | undefined;
	/** A call was sent. */
	readonly began: (call: PlainCall) => void;
	/** A progress or log notification of a call came. */
	readonly notified: (call: PlainCall, method: string, params: Result) => void;
	/** A call was answered: `entry` is its line of the journal. */
	readonly ended: (call: PlainCall, entry: JournalEntry) => void;
}

/** The routes of one client. */
export class PlainRoutes implements ToolForwarder {
	readonly #deps: PlainRoutesDeps;
	/** Keyed by the name of the tool, as JSON. */
	readonly #routes = new Map<string, ToolRoute>();
	/** The route of the last call: the next one has it too, as a rule. */
	#last: ToolRoute | undefined;
	#generation = -1;
	#policy: object | undefined;

	constructor(deps: PlainRoutesDeps) {
		this.#deps = deps;
	}

	take(view: MessageView, from: TextCallsClient): boolean {
		if (!this.#deps.isOpen() || view.has(member.budgetTokens)) return false;
		const route = this.#routeOf(view, from);
		if (route === undefined || route.calls?.admit(route, view) !== undefined) return false;
		const isSent = PlainCall.send(view, from, route);
		// The general route counts it.
		if (!isSent) route.calls?.withdraw();
		return isSent;
	}

	#routeOf(view: MessageView, from: TextCallsClient): ToolRoute | undefined {
		const generation = this.#deps.generation();
		const policy = this.#deps.policy();
		const isCurrent = generation === this.#generation && policy === this.#policy;
		if (!isCurrent || this.#routes.size >= PLAIN_ROUTES_LIMIT) this.#routes.clear();
		this.#generation = generation;
		this.#policy = policy;
		const last = isCurrent ? this.#last : undefined;
		if (last?.isOpen && view.is(member.name, last.source)) return last;
		this.#last = this.#find(view, from);
		return this.#last;
	}

	#find(view: MessageView, from: TextCallsClient): ToolRoute | undefined {
		const source = view.source(member.name) ?? '';
		const known = this.#routes.get(source);
		if (known?.isOpen) return known;
		const context = textCallContext(
			from,
			IncomingCall.ofView(view.source(member.id) ?? '', 'tools/call', view),
		);
		const route = this.#compile(String(view.value(member.name)), source, context);
		if (route) this.#routes.set(source, route);
		else this.#routes.delete(source);
		return route;
	}

	#compile(name: string, source: string, context: CallContext): ToolRoute | undefined {
		try {
			const found = this.#deps.find(name, context);
			const known = found?.toolName?.name ?? name;
			const decision = found && this.#deps.verdict(known, found, clientName(context));
			if (found === undefined || decision === undefined) return undefined;
			const plain = able(found.source, 'plainTarget');
			const target = plain?.plainTarget(found.name, context, this.#deps.info);
			return target && new ToolRoute(this.#deps, { name: known, source, found, target, decision }, context);
		} catch {
			return undefined; // the general route finds the same, and explains it
		}
	}
}

/** A route to one tool. */
export class ToolRoute implements PlainRoute {
	readonly found: Route<Tool>;
	readonly target: PlainTarget;
	readonly limitCharacters: number;
	readonly calls: ClientCalls | undefined;
	/** The policy entry of the journal. */
	readonly decision: Partial<PolicyOutcome>;
	readonly #deps: PlainRoutesDeps;
	/** The name that clients of the whole hub use for the tool. */
	readonly name: string;
	/** The name as JSON, as the client wrote it. */
	readonly source: string;
	readonly client: string;

	constructor(
		deps: PlainRoutesDeps,
		{
			name,
			source,
			found,
			target,
			decision,
		}: Pick<ToolRoute, 'name' | 'source' | 'found' | 'target' | 'decision'>,
		context: CallContext,
	) {
		this.found = found;
		this.target = target;
		this.decision = decision;
		this.limitCharacters = deps.limitCharacters(context, found);
		this.calls = deps.watch(context);
		this.#deps = deps;
		this.name = name;
		this.source = source;
		this.client = clientName(context);
	}

	/** Whether its process still has the same connection. */
	get isOpen(): boolean {
		return this.target.process.connection === this.target.connection;
	}

	get backend(): string {
		return this.found.source.id;
	}

	began(call: PlainCall): void {
		this.#deps.began(call);
	}

	notified(call: PlainCall, method: string, params: Result): void {
		this.#deps.notified(call, method, params);
	}

	answered(call: PlainCall, view: MessageView, result: string): void {
		const isFailed = view.is(member.isError, 'true');
		const { view: request, startedAt } = call;
		this.#deps.ended(call, {
			client: this.client,
			backend: this.backend,
			method: call.method,
			name: this.name,
			startedAt,
			ms: Date.now() - startedAt.getTime(),
			outcome: isFailed ? 'failed' : 'ok',
			trace: request.has(member.traceparent) ? traceOf(call.context) : undefined,
			subject: this,
			policy: this.decision.policy,
			rule: this.decision.rule,
			arguments: hashedArguments(request),
			result: new JsonText(result),
		});
	}
}

/** Canonical JSON is hashed as it was written; a large value is hashed as on the general route. */
function hashedArguments(view: MessageView): unknown {
	if (!view.has(member.arguments)) return {};
	const isText = view.isCanonical && view.lengthOf(member.arguments) <= CANONICAL_CHARACTERS;
	return isText ? new JsonText(view.source(member.arguments) ?? '') : view.value(member.arguments);
}
