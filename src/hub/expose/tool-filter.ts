/* Which tools a view includes. */
import type { Configuration } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { serverNamesOf } from '../../trust/tool-name.ts';
import { anyToolPattern, type ToolTest } from '../../trust/tool-pattern.ts';
import { ownEntry } from '../../wire/json.ts';

/** True for the name of a tool that passes, as clients see it. */
export type ToolFilter = (name: string) => boolean;

const SKILL = 'skill:';

/** The view of a skill: its name, and the tools that it names. It is not configured: the text has everything. */
export function skillView(skill: string, tools: readonly string[]): string {
	return [SKILL + skill.replaceAll(' ', '-'), ...tools].join(' ');
}

/** How a view is called, and how one more tool comes into it. */
export function aboutView(view: string): { readonly title: string; readonly hint: string } {
	if (!view.startsWith(SKILL))
		return { title: `the view "${view}"`, hint: `Add it to views.${view}.allow in orchestra.json.` };
	const [skill = ''] = view.slice(SKILL.length).split(' ');
	const hint = 'Name it in metadata "orchestra.tools" of the skill, and connect again.';
	return { title: `the view of the skill "${skill}"`, hint };
}

/** The filter of a view. Throws `not_found` with the names of the views for an unknown one. */
export function viewFilter(
	{ views, mcpServers }: Pick<Configuration, 'views' | 'mcpServers'>,
	name: string,
): ToolTest {
	const servers = serverNamesOf(mcpServers);
	if (name.startsWith(SKILL)) return anyToolPattern(name.split(' ').slice(1), servers);
	const view = ownEntry(views, name);
	if (view === undefined) {
		const names = Object.keys(views);
		const known = names.length === 0 ? 'no view is configured' : `the views are ${names.join(', ')}`;
		throw new OrchestraError('not_found', `there is no view "${name}"; ${known}`, {
			hint: 'Add it to "views" in orchestra.json: { "allow": ["files__*"], "deny": [] }.',
		});
	}
	const isAllowed = view.allow ? anyToolPattern(view.allow, servers) : () => true;
	const isDenied = anyToolPattern(view.deny, servers);
	return (tool) => isAllowed(tool) && !isDenied(tool);
}
