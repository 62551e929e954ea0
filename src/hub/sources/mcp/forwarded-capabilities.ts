/*
 * The capabilities of a client as a server of ours may use them.
 *
 * A server answers in the terms of an extension that the request declares, so only those
 * are passed on whose answers reach the client through the hub. A task, for example,
 * would run and nobody could ask for its result.
 */
import { isObject } from '../../../wire/json.ts';

/** Extensions without methods of their own. */
const routable: ReadonlySet<string> = new Set(['io.modelcontextprotocol/ui']);

/** The same capabilities, without the extensions and tasks that the hub does not route. */
export function forwardedCapabilities(
	capabilities: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	if (!('extensions' in capabilities) && !('tasks' in capabilities)) return capabilities;
	const { extensions, tasks: _tasks, ...others } = capabilities;
	const known = Object.entries(isObject(extensions) ? extensions : {}).filter(([id]) => routable.has(id));
	return known.length === 0 ? others : { ...others, extensions: Object.fromEntries(known) };
}
