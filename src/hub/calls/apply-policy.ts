/* The policy: which tools a client sees, and which calls pass, are refused, or wait for an approval. */
import { after } from '../../mcp/server/methods.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import type { CallGate } from '../../trust/call-gate.ts';
import type { Middleware } from './middleware.ts';

export function applyPolicy(gate: CallGate): Middleware {
	return (inner) => ({
		list(kind, reader) {
			const listed = inner.list(kind, reader);
			if (kind !== 'tools' || reader === undefined || !gate.policy.hidesTools) return listed;
			return after(listed, (list) => {
				// The items of this list.
				const tools = list.items as readonly Tool[];
				const items = gate.listed(tools, reader.client, ({ name }) => list.routes.get(name)?.toolName);
				return { ...list, items };
			});
		},

		request(call) {
			if (call.method !== 'tools/call' || call.isSent || gate.policy.isEmpty) return inner.request(call);
			return gate.run(call, () => inner.request(call));
		},
	});
}
