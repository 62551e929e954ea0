/* Which tools a view holds, and which are always listed. */
import type { ToolView } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { ownEntry } from '../../wire/json.ts';
import { patternOf } from '../backends/mcp/tool-names.ts';

/** True for the name of a tool that is kept. */
export type ToolFilter = (name: string) => boolean;

/** The tools whose names match a pattern; `*` stands for any characters. */
export function matchesAny(patterns: readonly string[]): ToolFilter {
	const all = patterns.map(patternOf);
	return (name) => all.some((pattern) => pattern.test(name));
}

/** The filter of a view. Throws `not_found` with the names of the views for an unknown one. */
export function viewFilter(views: Readonly<Record<string, ToolView>>, name: string): ToolFilter {
	const view = ownEntry(views, name);
	if (view === undefined) {
		const names = Object.keys(views);
		const known = names.length === 0 ? 'no view is configured' : `the views are ${names.join(', ')}`;
		throw new OrchestraError('not_found', `there is no view "${name}"; ${known}`, {
			hint: 'Add it to "views" in orchestra.json: { "allow": ["files__*"], "deny": [] }.',
		});
	}
	const isAllowed = view.allow ? matchesAny(view.allow) : () => true;
	const isDenied = matchesAny(view.deny);
	return (tool) => isAllowed(tool) && !isDenied(tool);
}
