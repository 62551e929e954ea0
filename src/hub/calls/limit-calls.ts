/* Calls above the limits of their client: refused, or made when a user approves. */
import type { Answer } from '../../protocol/mcp-types.ts';
import type { CallGate } from '../../trust/call-gate.ts';
import type { ClientCalls, ExceededLimit } from '../loops/client-calls.ts';
import type { LoopGuard } from '../loops/loop-guard.ts';
import type { HubCall } from './hub-call.ts';
import { aroundCalls, type Handler, type Middleware } from './middleware.ts';

/** @param gate asks a user; without it every such call is refused */
export function limitCalls(guard: LoopGuard, gate: CallGate | undefined): Middleware {
	return aroundCalls((call, inner) => {
		// The next round of a call is the same call.
		if (call.method !== 'tools/call' || call.isSent || call.context.isContinued) return inner.request(call);
		const calls = guard.of(call.context);
		const limit = calls?.admit(call, call.arguments);
		if (calls === undefined || limit === undefined) return inner.request(call);
		call.decision = { policy: 'deny', rule: limit.rule };
		return guard.asks && gate ? lift(call, { gate, calls, limit, inner }) : refusal(call, limit);
	});
}

async function lift(
	call: HubCall,
	{ gate, calls, limit, inner }: { gate: CallGate; calls: ClientCalls; limit: ExceededLimit; inner: Handler },
): Promise<Answer> {
	const outcome = await gate.lift(call, { rule: limit.rule, reason: limit.reason });
	if (outcome !== 'allowed') return refusal(call, limit);
	calls.reset();
	call.decision = { policy: 'approved', rule: limit.rule };
	return inner.request(call);
}

function refusal(call: HubCall, { rule, reason, leftMs }: ExceededLimit): Answer {
	const again = `It can be called again in ${Math.max(1, Math.ceil(leftMs / 1000))} s`;
	const how = rule === 'limits.identicalCalls' ? ', or now with other arguments' : '';
	return call.refused(`${call.name} was not called: ${reason} (${rule}). ${again}${how}.`);
}
