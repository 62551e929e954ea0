/* Calls of this project that wait for a user, and the decision about one. */
import { messageOf, OrchestraError } from '../../errors.ts';
import { ApprovalFiles } from '../../trust/approval-files.ts';
import { decideApproval, waitingRequest } from '../../trust/decide-approval.ts';
import type {
	ApprovalDecision,
	ApprovalReply,
	ApprovalRow,
	ApprovalsReply,
	DoneReply,
} from '../api/api-types.ts';
import { approvalCommand } from '../commands/mctl-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { untrustedText } from './policy-change.ts';

const decisions: readonly ApprovalDecision[] = ['allow', 'always', 'deny'];

type Deps = Pick<DashboardDeps, 'environment' | 'opened' | 'log'>;

/** The waiting calls of the shared hub and of every `mctl serve` of the same project. */
export function approvalRows({ environment, opened, log }: Deps): ApprovalRow[] {
	const { root } = opened.configuration();
	try {
		return ApprovalFiles.ofUser(environment)
			.list()
			.filter((request) => request.root === root)
			.map(({ id, client, tool, rule, reason, askedAt, expiresAt }) => ({
				id,
				client,
				tool,
				rule,
				reason: reason ?? null,
				askedAt: Date.parse(askedAt),
				expiresAt: Date.parse(expiresAt),
				commands: commandsFor(id),
			}));
	} catch (error) {
		log.debug(`the approvals cannot be listed: ${messageOf(error)}`);
		return [];
	}
}

/** All of them, or the arguments of the one with this id. Throws `not_found` for a call that does not wait any more. */
export function approvalsReply(deps: Deps, id?: string): ApprovalsReply | ApprovalReply {
	if (id === undefined) return { approvals: approvalRows(deps) };
	return { arguments: waitingRequest(ApprovalFiles.ofUser(deps.environment), id).arguments };
}

/** Decide. Throws `not_found` for a call that does not wait any more. */
export async function decide(
	{ id, decision, signal }: { id: string; decision: unknown; signal: AbortSignal },
	{ environment, opened }: Deps,
): Promise<DoneReply> {
	if (!isDecision(decision))
		throw new OrchestraError('bad_input', '"decision" is missing', {
			hint: 'Use allow, always or deny.',
		});
	const files = ApprovalFiles.ofUser(environment);
	const request = waitingRequest(files, id);
	const answer = decision === 'deny' ? 'deny' : 'allow';
	const choice = { decision: answer, isAlways: decision === 'always', signal, environment } as const;
	const rule = await decideApproval(files, request, choice);
	// The page says "from now on".
	if (rule) await opened.reload();
	const message = rule && `From now on: ${rule.text} in ${rule.file}.${untrustedText(rule.untrusted)}`;
	return { isDone: true, command: approvalCommand(decision, id), message };
}

function isDecision(value: unknown): value is ApprovalDecision {
	return decisions.some((each) => each === value);
}

function commandsFor(id: string): Record<ApprovalDecision, string> {
	return {
		allow: approvalCommand('allow', id),
		always: approvalCommand('always', id),
		deny: approvalCommand('deny', id),
	};
}
