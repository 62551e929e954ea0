/* The requests that a server may send to its client during a call: methods, params and results. */
import type { ContentBlock } from './mcp-types.ts';

/** One message of a conversation with a model. */
export interface SamplingMessage {
	role: 'user' | 'assistant';
	content: ContentBlock | ContentBlock[];
}

/** Params of `elicitation/create`: a form for the user, or a page to open. */
export type ElicitParams =
	| { mode?: 'form'; message: string; requestedSchema: object }
	| { mode: 'url'; message: string; url: string; elicitationId?: string };

/** The answer of the user. `content` is set when a form was accepted. */
export interface ElicitResult {
	action: 'accept' | 'decline' | 'cancel';
	content?: Record<string, string | number | boolean | string[]>;
}

/** Params of `sampling/createMessage`. */
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

/** The message that the model generated. */
export interface CreateMessageResult extends SamplingMessage {
	model: string;
	stopReason?: string;
}

/** The folders that the client works in, for `roots/list`. */
export interface ListRootsResult {
	roots: { uri: string; name?: string }[];
}

/** The methods of `ask` with the types of params and result. The result is the client's answer, unchecked. */
export interface ClientMethods {
	'elicitation/create': { params: ElicitParams; result: ElicitResult };
	'sampling/createMessage': { params: CreateMessageParams; result: CreateMessageResult };
	'roots/list': { params: undefined; result: ListRootsResult };
}
