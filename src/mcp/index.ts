/* The subpath `orchestra-hub/mcp`: write an MCP server for every revision at once, or call one. */
export { OrchestraError, type ToolFailureDetails, toolFailure } from '../errors.ts';
export { Log } from '../log.ts';
export type * from '../protocol/client-methods.ts';
export type { Item, ItemKind, ItemTypes, ListKind } from '../protocol/item-lists.ts';
export type * from '../protocol/mcp-types.ts';
export { supportedVersions } from '../protocol/revisions.ts';
export { rpcError } from '../rpc/rpc-error.ts';
export type { InferInput, InferSchema } from '../schema/infer-schema.ts';
export type { StandardSchema } from '../schema/standard-schema.ts';
export type { Challenge } from '../transport/http/challenges.ts';
export type { HttpAuth, Unauthorized } from '../transport/http/http-auth.ts';
export type {
	CallProgress,
	CompletionQuery,
	McpCallOptions,
	McpClientOptions,
	ServerLogMessage,
} from './client/call-options.ts';
export type { ClientHandlers, QuestionContext } from './client/client-handlers.ts';
export {
	type ConnectServerOptions,
	connectServer,
	type RemoteTarget,
	type ServerTarget,
} from './client/connect-server.ts';
export type { ServerList } from './client/list-pages.ts';
export { McpClient } from './client/mcp-client.ts';
export {
	type ConnectionDiagnosis,
	ServerConnection,
	type ServerConnectionOptions,
} from './client/server-connection.ts';
export type { ServerRequestOptions } from './client/server-link.ts';
export { DefinedProvider } from './define/defined-provider.ts';
export type {
	PromptDefinition,
	ResourceDefinition,
	ServerDefinition,
	TemplateDefinition,
	ToolDefinition,
	ToolDefinitions,
	ToolReturn,
} from './define/definition.ts';
export { provide, type ServeMcpOptions, serve, serveProvider } from './define/serve.ts';
export type { CallContext } from './server/call-context.ts';
export type { InputResponses } from './server/client-questions.ts';
export { McpSession, type SharedState, sharedState } from './server/mcp-session.ts';
export type {
	Call,
	CallMethod,
	CallOf,
	CallParams,
	CallToolParams,
	Change,
	CompleteParams,
	GetPromptParams,
	LogChange,
	Provider,
	ReadResourceParams,
	ResourceChange,
	RootsClient,
} from './server/provider.ts';
