/* Which tools a view holds. */
import type { Configuration } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { serverNamesOf } from '../../trust/tool-name.ts';
import { anyToolPattern, type ToolTest } from '../../trust/tool-pattern.ts';
import { ownEntry } from '../../wire/json.ts';

/** True for the name of a tool that is kept, as clients see it. */
export type ToolFilter = (name: string) => boolean;

/** The filter of a view. Throws `not_found` with the names of the views for an unknown one. */
export function viewFilter(
	{ views, mcpServers }: Pick<Configuration, 'views' | 'mcpServers'>,
	name: string,
): ToolTest {
	const view = ownEntry(views, name);
	if (view === undefined) {
		const names = Object.keys(views);
		const known = names.length === 0 ? 'no view is configured' : `the views are ${names.join(', ')}`;
		throw new OrchestraError('not_found', `there is no view "${name}"; ${known}`, {
			hint: 'Add it to "views" in orchestra.json: { "allow": ["files__*"], "deny": [] }.',
		});
	}
	const servers = serverNamesOf(mcpServers);
	const isAllowed = view.allow ? anyToolPattern(view.allow, servers) : () => true;
	const isDenied = anyToolPattern(view.deny, servers);
	return (tool) => isAllowed(tool) && !isDenied(tool);
}
