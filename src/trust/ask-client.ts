/* The elicitation to the user of an MCP client: may this call be made? */
import { attempt, OrchestraError } from '../errors.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import { requireCapabilities } from '../mcp/server/input-requests.ts';
import { escapedText } from '../printable.ts';
import type { ElicitParams } from '../protocol/client-methods.ts';
import { within } from '../rpc/clock.ts';
import { isObject } from '../wire/json.ts';
import type { ApprovalOutcome, NewApprovalRequest } from './approvals.ts';
import { argumentLine } from './argument-row.ts';
import { SHOWN_ARGUMENT_CHARACTERS } from './trust-limits.ts';

const ALLOW = 'allow once';
const DENY = 'deny';

/** Whether the client can show an elicitation to its user. */
export function canAsk({ clientCapabilities }: CallContext): boolean {
	// The client may not have declared the capability.
	return attempt(() => {
		const elicitation = { method: 'elicitation/create', params: { mode: 'form' } };
		requireCapabilities({ elicitation }, clientCapabilities);
		return true;
	}, false);
}

/**
 * Ask the user of the client. Undefined when the client failed to ask, although it declared that it can. Rejects when
 * the call is canceled.
 */
export async function askClient(
	request: NewApprovalRequest,
	context: CallContext,
	timeoutMs: number,
): Promise<ApprovalOutcome | undefined> {
	try {
		const answer = await within(context.ask('elicitation/create', elicitationOf(request)), timeoutMs);
		if (answer === undefined) return 'expired';
		const content = isObject(answer) && answer.action === 'accept' ? answer.content : undefined;
		return isObject(content) && content['decision'] === ALLOW ? 'allowed' : 'denied';
	} catch (error) {
		if (OrchestraError.is(error, 'canceled') || context.isCanceled) throw error;
		return undefined;
	}
}

function elicitationOf(request: NewApprovalRequest): ElicitParams {
	const { tool, client, rule, reason } = request;
	const shown = request.arguments.map((argument) => `  ${argumentLine(argument, SHOWN_ARGUMENT_CHARACTERS)}`);
	const lines = [
		`Allow the call of ${escapedText(tool)}?`,
		...(client === '' ? [] : [`Client: ${escapedText(client)}`]),
		...(shown.length === 0 ? ['Without arguments.'] : ['Arguments:', ...shown]),
		...(reason === undefined ? [] : [`Reason: ${escapedText(reason)}`]),
		`Rule: ${escapedText(rule)}`,
	];
	return {
		mode: 'form',
		message: lines.join('\n'),
		requestedSchema: {
			type: 'object',
			properties: { decision: { type: 'string', title: 'Decision', enum: [ALLOW, DENY] } },
			required: ['decision'],
		},
	};
}
