/* The source that a call goes to, and the source's own name of the item. */
import { after } from '../../mcp/server/methods.ts';
import { aroundCalls, type Middleware, type Targets } from './middleware.ts';

/** Find the target of each call that has none yet. */
export function routeCalls(targets: Targets): Middleware {
	return aroundCalls((call, inner) => {
		if (call.isRouted) return inner.request(call);
		return after(targets.find(call), (found) => {
			call.target = found;
			return inner.request(call);
		});
	});
}
