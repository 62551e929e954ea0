/*
 * What stands behind a face: a hub, a library, a server somebody wrote.
 *
 * A provider speaks of tools, resources and prompts and knows nothing of
 * revisions, pages or pipes. Methods that it lacks are not offered. Lists come
 * sorted, so that the same content gives the same bytes.
 */

import type {
	Awaitable,
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	Implementation,
	InputRequired,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	Tool,
} from '../../protocol/mcp-types.ts';
import type { CallContext } from './call-context.ts';

/** Something that clients may want to hear of. */
export type Change = { kind: 'tools' | 'prompts' | 'resources' } | { kind: 'resource'; uri: string };

export interface CallToolParams {
	name: string;
	arguments: Record<string, unknown>;
}

export interface GetPromptParams {
	name: string;
	arguments: Record<string, string>;
}

export interface CompleteParams {
	ref: { type: string; name?: string; uri?: string };
	argument: { name: string; value: string };
	context: Record<string, string>;
}

export interface Provider {
	readonly info: Implementation;
	readonly instructions?: string | undefined;
	/** What is offered now. Asked again for each client. */
	capabilities(): Awaitable<ServerCapabilities>;
	listTools?(context: CallContext): Awaitable<readonly Tool[]>;
	callTool?(params: CallToolParams, context: CallContext): Awaitable<CallToolResult | InputRequired>;
	listResources?(context: CallContext): Awaitable<readonly Resource[]>;
	listResourceTemplates?(context: CallContext): Awaitable<readonly ResourceTemplate[]>;
	readResource?(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired>;
	listPrompts?(context: CallContext): Awaitable<readonly Prompt[]>;
	getPrompt?(params: GetPromptParams, context: CallContext): Awaitable<GetPromptResult | InputRequired>;
	complete?(params: CompleteParams, context: CallContext): Awaitable<CompleteResult>;
	/** Clients watch this resource from now on (true), or none does any more (false). */
	watchResource?(uri: string, isWatched: boolean): void;
	/** Hear of changes. Gives back what ends it. */
	onChange?(listener: (change: Change) => void): () => void;
}
