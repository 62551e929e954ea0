/* The decision of a user about a call that waits, from a terminal or from the dashboard. */
import { type AddedRule, addPolicyRule, isNameable } from '../config/edit-policy.ts';
import { OrchestraError } from '../errors.ts';
import { polled } from '../rpc/clock.ts';
import type { ApprovalAnswer, ApprovalFiles } from './approval-files.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { DECISION_LOOK_AGAIN_MS, DECISION_NOTICE_MS } from './trust-limits.ts';

/** A rule that was written, and its file. */
export interface WrittenRule extends AddedRule {
	readonly file: string;
}

export interface ApprovalChoice {
	readonly decision: ApprovalAnswer;
	/** Write a rule too. */
	readonly isAlways: boolean;
	readonly signal?: AbortSignal;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** The request with this id. Throws `not_found`. */
export function waitingRequest(files: ApprovalFiles, id: string): ApprovalRequest {
	const request = files.list().find((each) => each.id === id);
	if (request) return request;
	throw new OrchestraError('not_found', `no call with the id "${id}" waits for approval`, {
		hint: 'mctl approve lists the calls that wait; each waits for 5 minutes.',
	});
}

/**
 * Write the decision, wait until the process that asked has taken it, and write a rule for this tool and client when
 * the decision is for always. Throws `bad_input` before anything is decided when there can be no such rule.
 */
export async function decideApproval(
	files: ApprovalFiles,
	request: ApprovalRequest,
	{ decision, isAlways, signal, environment }: ApprovalChoice,
): Promise<WrittenRule | undefined> {
	const { id, pid, tool, client, isPlan } = request;
	if (isAlways && isPlan === true)
		throw new OrchestraError('bad_input', 'an approval of a plan is for this program alone', {
			hint: `Decide about it alone: mctl approve ${decision} ${id}. Or write rules for its tools: mctl policy.`,
		});
	if (isAlways && !isNameable({ tools: tool, clients: client })) {
		const whose = client === '' ? 'a client without a name' : `the client ${client}`;
		throw new OrchestraError('bad_input', `no rule can be written for ${tool} of ${whose}`, {
			hint: `Decide about this call alone: mctl approve ${decision} ${id}`,
		});
	}
	if (!files.answer(request, decision)) {
		throw new OrchestraError('bad_input', `the call ${id} has an answer already`, {
			hint: 'mctl approve lists the calls that wait.',
		});
	}
	const isTaken = (): true | undefined => (files.has(id) ? undefined : true);
	if (!(await polled(isTaken, { everyMs: DECISION_LOOK_AGAIN_MS, forMs: DECISION_NOTICE_MS, signal }))) {
		throw new OrchestraError('timeout', `process ${pid} has not taken the answer for ${id} yet`, {
			hint: 'It may be blocked: mctl hub status shows the shared hub.',
		});
	}
	return isAlways ? writeRule(request, decision, environment) : undefined;
}

/** The rule goes before the others of the file whose rule asked. */
async function writeRule(
	{ rule, tool, client }: ApprovalRequest,
	action: ApprovalAnswer,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<WrittenRule> {
	const file = rule.slice(0, rule.lastIndexOf(':'));
	return { file, ...(await addPolicyRule(file, { tools: tool, clients: client, action }, environment)) };
}
