/* A call that waits for a user, as it is shown and as it is bound. */

import { canonicalSha256 } from '../wire/canonical-json.ts';
import type { ArgumentRow } from './argument-row.ts';

/** The facts that an approval is bound to. Another value of any field is another approval. */
export interface ApprovalBinding {
	readonly client: string;
	/** The MCP session of the client. */
	readonly session: string;
	readonly tool: string;
	/** SHA-256 of the canonical arguments. */
	readonly argumentsSha256: string;
	readonly policyVersion: string;
}

/** A request for approval. */
export interface ApprovalRequest extends ApprovalBinding {
	readonly id: string;
	/** Whether it is about a program with its tools, for which there is no rule. */
	readonly isPlan?: boolean | undefined;
	/** The arguments for a user to read before the decision. */
	readonly arguments: readonly ArgumentRow[];
	/** The rule that asks, as `file:line`. */
	readonly rule: string;
	readonly reason: string | undefined;
	/** The folder of the configuration. */
	readonly root: string;
	/** The process that waits. */
	readonly pid: number;
	/** ISO 8601. */
	readonly askedAt: string;
	readonly expiresAt: string;
}

/** The key of a binding. */
export function bindingKey(binding: ApprovalBinding): string {
	const { client, session, tool, argumentsSha256, policyVersion } = binding;
	return canonicalSha256([client, session, tool, argumentsSha256, policyVersion]);
}
