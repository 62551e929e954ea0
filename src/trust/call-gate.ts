/*
 * The policy in front of every call of a tool: a call passes, is refused, or waits for
 * a user. The user is asked through the client when it can ask, else by
 * `mctl approve`. Without rules a call passes with one comparison.
 */
import { isDeepStrictEqual } from 'node:util';
import type { CallContext } from '../mcp/server/call-context.ts';
import { printableLine } from '../printable.ts';
import {
	type Answer,
	type Awaitable,
	answerValue,
	isInputRequired,
	type Tool,
} from '../protocol/mcp-types.ts';
import { BoundedMap } from '../rpc/bounded-map.ts';
import { canonicalSha256 } from '../wire/canonical-json.ts';
import { bindingKey } from './approval-request.ts';
import { type ApprovalOutcome, type Approvals, type NewApprovalRequest, takeCurrent } from './approvals.ts';
import { argumentRows } from './argument-row.ts';
import { askClient, canAsk } from './ask-client.ts';
import { claimsOf, type Policy, type PolicyDecision } from './policy.ts';
import type { NamedTool } from './tool-name.ts';
import { APPROVAL_PROGRESS_MS, CONTINUED_CALLS_LIMIT } from './trust-limits.ts';

/** The facts of a call that the rules are about. */
export interface RuledCall {
	/** The name that clients see. */
	readonly name: string;
	/** Its server and own name; undefined for a tool that no list has: then what its name says. */
	readonly toolName: NamedTool | undefined;
	readonly client: string;
	readonly tool: Tool | undefined;
}

/** A call of a tool, before it is made. */
export interface GatedCall extends RuledCall {
	readonly arguments: unknown;
	readonly context: CallContext;
	/** Whether it runs a program: one that a rule asks about once is asked about when its tools are known. */
	readonly isPlan?: boolean | undefined;
	/** Set when it is decided about. */
	decision: Partial<PolicyOutcome> | undefined;
	/** The result when it is not made, with a text for the caller. */
	refused(text: string): Answer;
}

/** The entry of the journal about a decision. */
export interface PolicyOutcome {
	readonly policy: 'allow' | 'deny' | 'approved' | 'refused' | 'expired' | 'changed' | 'full';
	/** `file:line`; undefined when no rule matched. */
	readonly rule: string | undefined;
}

/** A program of a client, before it runs. */
export interface GatedPlan {
	/** The tool that runs it. */
	readonly name: string;
	readonly client: string;
	/** The tools that it can reach. */
	readonly tools: readonly Omit<RuledCall, 'client'>[];
	/** Whether `tools` are all, because a name is computed. */
	readonly isComputed: boolean;
	readonly code: string;
	/** The digest of the code. */
	readonly sha256: string;
	readonly input: unknown;
	readonly context: CallContext;
}

export interface PlanApproval {
	readonly outcome: ApprovalOutcome;
	/** Undefined when no rule asks about the plan. */
	readonly decision?: PolicyOutcome;
	/** What it was given for: the policy, and the tools that claimed to be destructive. */
	readonly approval?: { readonly policyVersion: string; readonly destructive: readonly string[] };
}

export interface CallGateOptions {
	/** The current policy. */
	readonly policy: () => Policy;
	readonly approvals: Approvals;
	/** The folder of the configuration. */
	readonly root: string;
	/** How often a waiting call sends progress. Default 10 s. */
	readonly progressMs?: number | undefined;
}

export class CallGate {
	readonly #options: CallGateOptions;
	/** Approved calls whose server asked for input: the retry is the same call. The end of each, by its key. */
	readonly #continued = new BoundedMap<string, number>(CONTINUED_CALLS_LIMIT);

	constructor(options: CallGateOptions) {
		this.#options = options;
	}

	/** The rules of now: another object after each change. */
	get policy(): Policy {
		return this.#options.policy();
	}

	/** The policy entry of the journal for calls of a tool that pass without an approval; undefined when they do not. */
	verdict(call: RuledCall): Partial<PolicyOutcome> | undefined {
		const { policy } = this;
		if (policy.isEmpty) return {};
		const decision = decisionAbout(call, policy);
		return decision.action === 'allow' ? { policy: 'allow', rule: placeOf(decision) } : undefined;
	}

	/** The tools that a client sees in lists. */
	listed(
		tools: readonly Tool[],
		client: string,
		nameOf: (tool: Tool) => NamedTool | undefined,
	): readonly Tool[] {
		const { policy } = this;
		return tools.filter((tool) => {
			const named = nameOf(tool) ?? policy.servers.read(tool.name);
			return policy.isListed({ tool: named, client, annotations: tool.annotations });
		});
	}

	/** Make the call with `go`, or refuse it. */
	run(call: GatedCall, go: () => Awaitable<Answer>): Awaitable<Answer> {
		const { policy } = this;
		if (policy.isEmpty) return go();
		const decision = decisionAbout(call, policy);
		if (isApprovedWithPlan(call, decision, policy)) {
			// The decision about a plan is not made yet.
			if (call.isPlan !== true) call.decision = { policy: 'approved', rule: placeOf(decision) };
			return go();
		}
		if (decision.action === 'ask') return this.#ask(call, decision, go);
		call.decision = { policy: decision.action, rule: placeOf(decision) };
		return decision.action === 'allow' ? go() : call.refused(denialOf(call.name, decision));
	}

	/** Ask a user about a program before it runs, when a rule says so about it or one of its tools. */
	async planApproval(plan: GatedPlan): Promise<PlanApproval> {
		const { name, client, tools, isComputed, code, sha256, input, context } = plan;
		const { policy } = this;
		const asking = [runnerOf(plan), ...tools]
			.map((tool) => decisionAbout({ ...tool, client }, policy))
			.filter(({ action, rule }) => action === 'ask' && rule?.plan === 'once');
		const [decision] = asking;
		if (decision === undefined) return { outcome: 'allowed' };
		const names = tools.map((tool) => tool.name);
		const destructive = tools.filter(isDestructive).map((tool) => tool.name);
		const shown = {
			destructive: listed(destructive),
			tools: isComputed ? `any of ${names.length}, since a name is computed` : listed(names),
			arguments: 'computed by the program, so they are not shown',
			program: code,
			input,
		};
		const about = { name, client, arguments: shown, context };
		const argumentsSha256 = canonicalSha256([sha256, input, names]);
		const request = { ...this.#requestOf(about, decision), isPlan: true, argumentsSha256 };
		const outcome = await this.#askUser(request, context);
		if (context.isCanceled) context.signal.throwIfAborted();
		const { rule } = request;
		const approval = { policyVersion: policy.version, destructive };
		return { outcome, decision: { policy: verdicts[outcome], rule }, approval };
	}

	/** Ask a user about a call that a limit stops. Rejects when it is canceled. */
	async lift(call: GatedCall, limit: { rule: string; reason: string }): Promise<ApprovalOutcome> {
		const request = this.#requestOf(call, { action: 'ask', rule: undefined });
		const outcome = await this.#askUser({ ...request, ...limit }, call.context);
		if (call.context.isCanceled) call.context.signal.throwIfAborted();
		return outcome;
	}

	/** The client of a session is gone: its pending approvals are withdrawn. */
	sessionClosed(sessionId: string): void {
		this.#options.approvals.withdraw(sessionId);
	}

	/** Deny every call that waits. Idempotent. */
	close(): void {
		this.#options.approvals.close();
	}

	async #ask(call: GatedCall, decision: PolicyDecision, go: () => Awaitable<Answer>): Promise<Answer> {
		const request = this.#requestOf(call, decision);
		const { context } = call;
		const isContinued = context.isContinued && takeCurrent(this.#continued, bindingKey(request));
		const outcome = isContinued ? 'allowed' : await this.#askUser(request, context);
		if (context.isCanceled) context.signal.throwIfAborted();
		// An approval outlives a change of other rules: the call is decided again.
		const { policy } = this;
		const now = decisionAbout(call, policy);
		if (outcome === 'allowed' && now.action === 'deny') {
			call.decision = { policy: 'deny', rule: placeOf(now) };
			return call.refused(denialOf(call.name, now));
		}
		const isOther = now.action === 'ask' && !isSameRule(now, decision);
		const verdict = outcome === 'allowed' && isOther ? 'changed' : verdicts[outcome];
		const { approvalMs } = this.#options.approvals;
		call.decision = { policy: verdict, rule: request.rule };
		if (verdict !== 'approved') return call.refused(refusalOf(call.name, verdict, approvalMs));
		const result = await go();
		if (isInputRequired(answerValue(result)))
			this.#continued.set(
				bindingKey({ ...request, policyVersion: policy.version }),
				performance.now() + approvalMs,
			);
		return result;
	}

	#requestOf(
		{ name, client, arguments: input, context }: Pick<GatedCall, 'name' | 'client' | 'arguments' | 'context'>,
		decision: PolicyDecision,
	): NewApprovalRequest {
		return {
			tool: printableLine(name),
			client: printableLine(client),
			session: context.sessionId,
			argumentsSha256: canonicalSha256(input),
			policyVersion: this.policy.version,
			arguments: argumentRows(input),
			rule: placeOf(decision) ?? '',
			reason: decision.rule?.reason,
			root: this.#options.root,
		};
	}

	async #askUser(request: NewApprovalRequest, context: CallContext): Promise<ApprovalOutcome> {
		let message = `${request.tool} waits for the approval of its user`;
		const report = (): void => context.progress(0, undefined, message);
		const { approvals, progressMs = APPROVAL_PROGRESS_MS } = this.#options;
		const reporting = setInterval(report, progressMs);
		const isDecided = context.enter('approval');
		try {
			if (canAsk(context)) {
				report();
				const outcome = await askClient(request, context, approvals.approvalMs);
				if (outcome !== undefined) return outcome;
			}
			return await approvals.wait(request, context.signal, (id) => {
				message = `${request.tool} waits for approval: mctl approve allow ${id}`;
				report();
			});
		} finally {
			clearInterval(reporting);
			isDecided();
		}
	}
}

/** The tool that runs a plan claims what the tools of the plan claim together. */
function runnerOf({ name, tools }: GatedPlan): GatedPlan['tools'][number] {
	const claims = tools.map(({ tool }) => claimsOf(tool?.annotations));
	const annotations = {
		readOnlyHint: claims.every(({ readOnly }) => readOnly),
		destructiveHint: claims.some(({ destructive }) => destructive),
		openWorldHint: claims.some(({ openWorld }) => openWorld),
		idempotentHint: claims.every(({ idempotent }) => idempotent),
	};
	return { name, toolName: undefined, tool: { name, inputSchema: {}, annotations } };
}

/** The number comes first: a long list is cut where it is shown. */
function listed(names: readonly string[]): string {
	return names.length === 0 ? 'none' : `${names.length}: ${names.join(', ')}`;
}

/** A user read the program and the list of its tools; a tool that is not in the list is asked about like any other. */
function isApprovedWithPlan(
	{ name, tool, context, isPlan }: GatedCall,
	{ action, rule }: PolicyDecision,
	policy: Policy,
): boolean {
	if (action !== 'ask' || rule?.plan !== 'once') return false;
	if (isPlan === true) return true;
	const approval = context.plan?.approval;
	if (approval?.policyVersion !== policy.version || !approval.tools.includes(name)) return false;
	// A tool that claims more than the user saw is asked about.
	return !isDestructive({ tool }) || approval.destructive.includes(name);
}

function isDestructive({ tool }: Pick<RuledCall, 'tool'>): boolean {
	return claimsOf(tool?.annotations).destructive;
}

const verdicts = { allowed: 'approved', denied: 'refused', expired: 'expired', full: 'full' } as const;

function refusalOf(tool: string, decision: PolicyOutcome['policy'], approvalMs: number): string {
	const why: Partial<Record<PolicyOutcome['policy'], string>> = {
		refused: 'its user denied the call',
		expired: `no user approved it within ${Math.round(approvalMs / 1000)} s; mctl approve lists calls that wait`,
		changed: 'the policy changed while it waited for approval; call it again',
		full: 'too many calls wait for approval; mctl approve lists them',
	};
	return `${tool} was not called: ${why[decision] ?? decision}`;
}

function decisionAbout({ name, toolName, client, tool }: RuledCall, policy: Policy): PolicyDecision {
	return policy.decide({
		tool: toolName ?? policy.servers.read(name),
		client,
		annotations: tool?.annotations,
	});
}

function denialOf(tool: string, decision: PolicyDecision): string {
	const { reason = 'the policy denies it' } = decision.rule ?? {};
	return `${tool} was not called: ${reason} (rule ${placeOf(decision)})`;
}

/** The line of a rule does not count: it moves when another rule is written before it. */
function isSameRule({ rule: one }: PolicyDecision, { rule: other }: PolicyDecision): boolean {
	return isDeepStrictEqual({ ...one, line: 0 }, { ...other, line: 0 });
}

function placeOf({ rule }: PolicyDecision): string | undefined {
	return rule && `${rule.file}:${rule.line}`;
}
