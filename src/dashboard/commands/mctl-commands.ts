/* The `mctl` command of each action of the page. */
import { quoted } from '../../printable.ts';
import type { ApprovalDecision, ServerAction, SourceRow } from '../api/api-types.ts';

/** Does the same with a server in a terminal. */
export function serverCommand(action: ServerAction, id: string): string {
	const name = quoted(id);
	switch (action) {
		case 'enable':
		case 'disable':
			return `mctl ${action} ${name}`;
		case 'accept':
			return `mctl trust accept ${name}`;
		case 'quarantine':
			return `mctl trust quarantine ${name}`;
		default:
			return `mctl server ${action} ${name}`;
	}
}

/** Signs in to a server in a terminal. */
export function signInCommand(id: string): string {
	return `mctl auth ${quoted(id)}`;
}

/** Gives the same decision in a terminal. */
export function approvalCommand(decision: ApprovalDecision, id: string): string {
	return decision === 'always' ? `mctl approve allow ${id} --always` : `mctl approve ${decision} ${id}`;
}

/** Writes the same rule in a terminal. */
export function policyCommand(tools: string, action: string, isOfUser: boolean): string {
	return `mctl policy add ${quoted(tools)} ${action}${isOfUser ? ' --scope user' : ''}`;
}

/** Opens the page of the hub of another folder. */
export function dashboardCommand(root: string): string {
	return `cd ${quoted(root)} && mctl dashboard`;
}

/** Says in a terminal what the rules decide for a client. */
export function policyTestCommand(client: string): string {
	return `mctl policy test TOOL --client ${quoted(client)}`;
}

/** Shows the output of a server in a terminal. The log of the hub has that of a plugin. */
export function logsCommand({ id, kind }: Pick<SourceRow, 'id' | 'kind'>, isFollowing = false): string {
	return `mctl hub logs${kind === 'mcp' ? ` ${quoted(id)}` : ''}${isFollowing ? ' -f' : ''}`;
}

/** Finds documents in a terminal. */
export function libraryCommand(query: string, budget: string): string {
	return `mctl find ${quoted(query)}${budget === '' ? '' : ` --max-tokens ${quoted(budget)}`}`;
}

/** Calls the tool in a terminal. */
export function callCommand(name: string, input?: string): string {
	return `mctl call ${quoted(name)}${input === undefined ? '' : ` --input ${quoted(input)}`}`;
}

/** Gets the prompt in a terminal. */
export function promptCommand(name: string): string {
	return `mctl prompt ${quoted(name)}`;
}

/** Repeats a recording in a terminal, and shows the differences. */
export function replayCommand(file: string, server: string): string {
	return `mctl replay ${quoted(file)} --against ${quoted(server)}`;
}
