/* Each call as it begins and ends, for those who follow them: metrics, dashboard, recordings. */

import { whenEnded } from '../../mcp/server/methods.ts';
import type { CallFeed } from '../call-feed.ts';
import { aroundCalls, type Middleware } from './middleware.ts';

/** Report calls to a feed. What is known of their end is set further inside. */
export function reportCalls(feed: CallFeed): Middleware {
	return aroundCalls((call, inner) => {
		if (!call.isReported) return inner.request(call);
		if (call.isSent) feed.resume(call);
		else {
			call.begin();
			feed.begin(call);
		}
		return whenEnded(
			() => inner.request(call),
			() => call.end && feed.end(call, call.end),
		);
	});
}
