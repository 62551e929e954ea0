/* What a server may ask of its client while it works on a call: methods, parameters and answers. */
import type { ContentBlock } from './mcp-types.ts';

/** One message of a conversation with a model. */
export interface SamplingMessage {
	role: 'user' | 'assistant';
	content: ContentBlock | ContentBlock[];
}

/** Ask the person in front of the client: a form, or a page to open. */
export type ElicitParams =
	| { mode?: 'form'; message: string; requestedSchema: object }
	| { mode: 'url'; message: string; url: string; elicitationId?: string };

/** What the person answered. `content` is there when a form was accepted. */
export interface ElicitResult {
	action: 'accept' | 'decline' | 'cancel';
	content?: Record<string, string | number | boolean | string[]>;
}

/** Ask the model of the client. */
export interface CreateMessageParams {
	messages: SamplingMessage[];
	maxTokens: number;
	systemPrompt?: string;
	temperature?: number;
	stopSequences?: string[];
	includeContext?: 'none' | 'thisServer' | 'allServers';
	modelPreferences?: object;
	metadata?: object;
	tools?: object[];
	toolChoice?: object;
}

/** What the model said. */
export interface CreateMessageResult extends SamplingMessage {
	model: string;
	stopReason?: string;
}

/** The folders that the client works in. */
export interface ListRootsResult {
	roots: { uri: string; name?: string }[];
}

/** Every method that `ask` knows, with the types of both directions. An answer is what the client sent; it is not checked further. */
export interface ClientMethods {
	'elicitation/create': { params: ElicitParams; result: ElicitResult };
	'sampling/createMessage': { params: CreateMessageParams; result: CreateMessageResult };
	'roots/list': { params: undefined; result: ListRootsResult };
}
