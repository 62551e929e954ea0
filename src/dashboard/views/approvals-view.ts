/* Calls of this project that wait for a user, and the decision about one. */
import { messageOf } from '../../errors.ts';
import { ApprovalFiles } from '../../trust/approval-files.ts';
import { decideApproval, waitingRequest } from '../../trust/decide-approval.ts';
import type { ApprovalDecision, ApprovalReply, ApprovalRow, DoneReply } from '../api/api-types.ts';
import { approvalCommand } from '../commands/mctl-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { untrustedText } from './policy-change.ts';

const decisions: readonly ApprovalDecision[] = ['allow', 'always', 'deny'];

export class ApprovalsView {
	readonly #files: ApprovalFiles;
	readonly #deps: Pick<DashboardDeps, 'environment' | 'opened' | 'log'>;

	constructor(deps: Pick<DashboardDeps, 'environment' | 'opened' | 'log'>) {
		this.#files = ApprovalFiles.ofUser(deps.environment);
		this.#deps = deps;
	}

	/** The waiting calls of the shared hub and of every `mctl serve` of the same project. */
	list(): ApprovalRow[] {
		const { root } = this.#deps.opened.configuration();
		try {
			return this.#files
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
			this.#deps.log.debug(`the approvals cannot be listed: ${messageOf(error)}`);
			return [];
		}
	}

	/** Its arguments. Throws `not_found` for a call that does not wait any more. */
	details(id: string): ApprovalReply {
		return { arguments: waitingRequest(this.#files, id).arguments };
	}

	/** Decide. Throws `not_found` for a call that does not wait any more. */
	async decide(id: string, decision: ApprovalDecision, signal: AbortSignal): Promise<DoneReply> {
		const request = waitingRequest(this.#files, id);
		const isAlways = decision === 'always';
		const answer = decision === 'deny' ? 'deny' : 'allow';
		const { environment } = this.#deps;
		const choice = { decision: answer, isAlways, signal, environment } as const;
		const rule = await decideApproval(this.#files, request, choice);
		// The page says "from now on".
		if (rule) await this.#deps.opened.reload();
		const message = rule && `From now on: ${rule.text} in ${rule.file}.${untrustedText(rule.untrusted)}`;
		return { isDone: true, command: approvalCommand(decision, id), message };
	}
}

export function isDecision(value: unknown): value is ApprovalDecision {
	return decisions.some((each) => each === value);
}

function commandsFor(id: string): Record<ApprovalDecision, string> {
	return {
		allow: approvalCommand('allow', id),
		always: approvalCommand('always', id),
		deny: approvalCommand('deny', id),
	};
}
