/* What a name stands for: a tool, a prompt or a resource, of the folder, a plugin or an MCP server. */
import { OrchestraError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { CommandInput } from '../command.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import { type ListedServer, serverStatuses } from '../learn/server-statuses.ts';
import { type CallSession, silent, withTools } from '../target/call-session.ts';
import { type CallTarget, callTarget, prefixOf } from '../target/call-target.ts';
import { findTarget, isOfServer, missing, nameOf } from '../target/find-target.ts';
import { openProject } from '../target/project.ts';

export interface FoundItem {
	readonly kind: 'tool' | 'prompt' | 'resource';
	readonly item: ListedItem;
	/** The MCP server that has it; undefined for what is of the folder or a plugin. */
	readonly server: ListedServer | undefined;
	/** Where it was looked for, when that is no server of the configuration. */
	readonly address: string | undefined;
}

type Found = Pick<FoundItem, 'kind' | 'item'>;

/** Throws `bad_input` with the nearest names when there is nothing of this name. */
export async function findItem(args: readonly string[], input: CommandInput): Promise<FoundItem> {
	const project = openProject(input, { hasExamples: true });
	const target = await callTarget(args, project, input);
	return withTools(target, input, silent, async (session) => {
		const found = await findIn(session, target, input);
		const servers = await serverStatuses(project.configuration, input);
		const server = servers.find(({ name }) =>
			target.server ? name === target.server.name : isOfServer(found.item, name),
		);
		return { ...found, server, address: target.address };
	});
}

async function findIn(session: CallSession, target: CallTarget, input: CommandInput): Promise<Found> {
	try {
		return { kind: 'tool', item: await findTarget(target, session, input) };
	} catch (error) {
		const { tool, server } = target;
		if (!OrchestraError.is(error, 'bad_input') || tool === undefined) throw error;
		return findOther(server ? prefixOf(server) + tool : tool, session, target);
	}
}

async function findOther(
	name: string,
	session: CallSession,
	target: Pick<CallTarget, 'broken' | 'blockedReason'>,
): Promise<Found> {
	const prompts = await session.list('prompts');
	const prompt = prompts.find((each) => nameOf(each) === name);
	if (prompt) return { kind: 'prompt', item: prompt };
	const resources = await session.list('resources');
	const resource = resources.find(({ uri }) => uri === name);
	if (resource) return { kind: 'resource', item: resource };
	if (target.broken) throw target.broken;
	const tools = await session.listTools(undefined);
	const uris = resources.map(({ uri }) => String(uri));
	const guesses = nearest(name, [...[...tools, ...prompts].map(nameOf), ...uris]);
	const hint = 'mctl list shows what there is';
	throw await missing(
		`tool, prompt or resource "${name}"`,
		{ ...target, tool: name },
		{ session, guesses, hint },
	);
}
