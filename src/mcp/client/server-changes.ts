/* The notifications of a server that report a change; both eras have the same. */
import { metaOf, SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import { isObject } from '../../wire/json.ts';
import type { Change } from '../server/provider.ts';

const changes: ReadonlyMap<string, Change> = new Map([
	['notifications/tools/list_changed', { kind: 'tools' }],
	['notifications/prompts/list_changed', { kind: 'prompts' }],
	['notifications/resources/list_changed', { kind: 'resources' }],
]);

/** The change that a notification reports; undefined for any other notification. */
export function changeOf(method: string, params: unknown): Change | undefined {
	const change = changes.get(method);
	if (change) return change;
	if (method !== 'notifications/resources/updated' || !isObject(params)) return undefined;
	const { uri, ...rest } = params;
	return typeof uri === 'string' ? { kind: 'resource', uri, ...moreOf(rest) } : undefined;
}

/** The members besides the URI, without the subscription id, which is valid on one connection only. */
function moreOf(rest: Record<string, unknown>): { more?: Record<string, unknown> } {
	const { [SUBSCRIPTION_ID]: _id, ...meta } = metaOf(rest);
	const { _meta, ...members } = rest;
	const more = Object.keys(meta).length === 0 ? members : { ...members, _meta: meta };
	return Object.keys(more).length === 0 ? {} : { more };
}
