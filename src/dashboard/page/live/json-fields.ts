/* Fields of JSON that a server or a command wrote: each may be missing, or something else. */
import { isObject } from '../../../wire/json.ts';
import type { ApiObject } from '../../api/api-types.ts';

/** The string in a field; empty without one. */
export function textIn(value: Readonly<Record<string, unknown>> | undefined, name: string): string {
	const text = value?.[name];
	return typeof text === 'string' ? text : '';
}

/** The objects in a list. */
export function objectsIn(value: unknown): ApiObject[] {
	// It came from a JSON message.
	return Array.isArray(value) ? (value.filter(isObject) as ApiObject[]) : [];
}
