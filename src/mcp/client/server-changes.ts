/* The notifications of a server that report a change; both eras have the same. */
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
	return typeof params['uri'] === 'string' ? { kind: 'resource', uri: params['uri'] } : undefined;
}
