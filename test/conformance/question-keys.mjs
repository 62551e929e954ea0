/*
 * The keys of questions. A legacy server sends its questions as requests, which have no keys, so a hub in
 * front of it makes up keys. The suite expects those of its own server, which are in `_meta.key` of each
 * question: they replace the keys of the hub on the way out, and are replaced on the way in.
 */

/** By requestState: the keys of the hub for the keys of the suite. */
const keysOf = new Map();

/** A message of the hub, as the suite expects it. */
export function withSuiteKeys(message) {
	const { inputRequests, requestState } = message.result ?? {};
	if (inputRequests === undefined) return message;
	const keys = {};
	const renamed = Object.entries(inputRequests).map(([hubKey, { method, params = {} }]) => {
		const { _meta: meta, ...rest } = params;
		const key = meta?.key ?? hubKey;
		keys[key] = hubKey;
		return [key, method === 'roots/list' ? { method } : { method, params: rest }];
	});
	keysOf.set(requestState, keys);
	return { ...message, result: { ...message.result, inputRequests: Object.fromEntries(renamed) } };
}

/** A request of the suite, as the hub expects it. */
export function withHubKeys(request) {
	const { requestState, inputResponses } = request.params ?? {};
	const keys = keysOf.get(requestState);
	if (keys === undefined || inputResponses === undefined) return request;
	const renamed = Object.entries(inputResponses).map(([key, response]) => [keys[key] ?? key, response]);
	return { ...request, params: { ...request.params, inputResponses: Object.fromEntries(renamed) } };
}
