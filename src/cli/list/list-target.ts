/* `mctl list <target>`: the tools of one server, which is named as for `mctl call`. */
import { type ListedItem, textField } from '../hub-client/hub-items.ts';
import { type CallSession, silent, withTools } from '../target/call-session.ts';
import { type CallTarget, callTarget } from '../target/call-target.ts';
import { nameAtServer, nameOf, toolsOf } from '../target/find-target.ts';
import { openProject } from '../target/project.ts';
import { toolItem } from './list-tools.ts';
import type { Listed, Listing } from './listing.ts';

/** The tools of a server, a client's server, a `stdio:` URI or a URL; with `server__tool` that tool alone. */
export function targetListing(arg: string): Listing {
	return {
		headings: ['ID', 'DESCRIPTION'],
		whenEmpty: `${arg} has no tools.`,

		async list(input): Promise<Listed> {
			const target = await callTarget([arg], openProject(input), input);
			const tools = await withTools(target, input, silent, (session) => toolsFor(target, session));
			return {
				rows: tools.map((tool) => [nameOf(tool), textField(tool, 'description')]),
				items: tools.map((tool) => toolItem(tool, 'mcp')),
				problems: [],
			};
		},
	};
}

async function toolsFor(target: CallTarget, session: CallSession): Promise<readonly ListedItem[]> {
	const tools = await toolsOf(target, session);
	const { server, tool } = target;
	if (server === undefined || tool === undefined) return tools;
	return tools.filter((each) => nameAtServer(each, server) === tool);
}
