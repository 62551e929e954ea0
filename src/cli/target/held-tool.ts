/* The error for a tool that is not listed because it is held back. */
import { OrchestraError } from '../../errors.ts';
import { serverDrifts } from '../../hub/server-drifts.ts';
import { ToolNames } from '../../hub/sources/mcp/tools/tool-names.ts';
import { printableName } from '../../printable.ts';
import type { CallTarget } from './call-target.ts';

/** The reason when the tool of a target is held back, else `thrown`. */
export function heldOr(
	thrown: unknown,
	{ server, tool }: Pick<CallTarget, 'server' | 'tool'>,
	environment: Readonly<NodeJS.ProcessEnv>,
): unknown {
	if (server?.settings.pin !== 'quarantine' || tool === undefined) return thrown;
	const own = new ToolNames(server.settings).ownName(tool);
	const [drift] = serverDrifts([server], environment);
	if (drift?.problem) return drift.problem;
	const held = drift?.drifted.find((each) => each.tool === own && each.isHeld);
	if (held === undefined) return thrown;
	const what = held.kind === 'new' ? 'is new' : 'was changed';
	const missing = drift?.missing === undefined ? '' : `. ${drift.missing}`;
	return new OrchestraError(
		'tool_failed',
		`${printableName(tool)} of ${server.name} is held back: it ${what} since the tools of ${server.name} were accepted${missing}`,
		{ hint: `See it with: mctl trust diff ${server.name}. Accept it with: mctl trust accept ${server.name}` },
	);
}
