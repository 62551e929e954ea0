/* What a name stands for: a tool, a prompt or a resource, of the folder, a plugin or an MCP server. */
import { OrchestraError } from '../errors.ts';
import { type CallSession, withTools } from './call-session.ts';
import { callTarget, findTarget, isOfServer, nameOf, sourceOf } from './call-target.ts';
import type { CommandInput } from './command.ts';
import type { Offered } from './hub-offers.ts';
import { nearest } from './nearest.ts';
import { openProject } from './project.ts';
import { type ListedServer, serverStatuses } from './server-statuses.ts';

export interface FoundOffer {
	readonly kind: 'tool' | 'prompt' | 'resource';
	readonly item: Offered;
	/** The MCP server that has it; undefined for what is of the folder or a plugin. */
	readonly server: ListedServer | undefined;
	/** Where it was looked for, when that is no server of the configuration. */
	readonly address: string | undefined;
}

const silent = { onQuestion: async () => ({ action: 'decline' as const }), onLog: () => {} };

/** Throws `bad_input` with the nearest names when there is nothing of this name. */
export async function findOffer(words: readonly string[], input: CommandInput): Promise<FoundOffer> {
	const project = openProject(input.environment);
	const { configuration } = project;
	const target = callTarget(
		words,
		configuration.mcpServers.map(({ name }) => name),
	);
	return withTools(sourceOf(target, project), input, silent, async (session) => {
		const servers = await serverStatuses(configuration, input.environment);
		const ownerOf = (item: Offered): ListedServer | undefined =>
			servers.find(({ name }) => name === target.server || isOfServer(item, name));
		const tools = await session.listTools(target.tool);
		if (target.server !== undefined || target.address !== undefined) {
			const item = findTarget(target, tools);
			return { kind: 'tool', item, server: ownerOf(item), address: target.address };
		}
		const found = await findByName(target.tool ?? '', tools, session);
		return { ...found, server: ownerOf(found.item), address: undefined };
	});
}

async function findByName(
	name: string,
	tools: readonly Offered[],
	session: CallSession,
): Promise<Pick<FoundOffer, 'kind' | 'item'>> {
	const tool = tools.find((each) => nameOf(each) === name);
	if (tool) return { kind: 'tool', item: tool };
	const prompts = await session.list('prompts');
	const prompt = prompts.find((each) => nameOf(each) === name);
	if (prompt) return { kind: 'prompt', item: prompt };
	const resources = await session.list('resources');
	const resource = resources.find(({ uri }) => uri === name);
	if (resource) return { kind: 'resource', item: resource };
	const names = [...tools, ...prompts].map(nameOf);
	const guesses = nearest(name, [...names, ...resources.map(({ uri }) => String(uri))]);
	throw new OrchestraError('bad_input', `there is no tool, prompt or resource "${name}"`, {
		hint: guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : 'mctl list shows what there is',
		data: { name, nearest: guesses },
	});
}
