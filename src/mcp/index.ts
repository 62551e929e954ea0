/* The subpath `orchestra-hub/mcp`: write an MCP server for every revision at once, or call one. */
export { OrchestraError, type ToolFailureDetails, toolFailure } from '../errors.ts';
export { Log } from '../log.ts';
export type {
	CreateMessageParams,
	CreateMessageResult,
	ElicitParams,
	ElicitResult,
} from '../protocol/client-methods.ts';
export type {
	CallProgress,
	CallToolResult,
	CompleteResult,
	ContentBlock,
	GetPromptResult,
	Implementation,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceContent,
	ResourceTemplate,
	Tool,
	ToolAnnotations,
} from '../protocol/mcp-types.ts';
export { rpcError } from '../rpc/rpc-error.ts';
export type { InferInput } from '../schema/infer-schema.ts';
export type { StandardSchema } from '../schema/standard-schema.ts';
export type { HttpAuth, Unauthorized } from '../transport/http/http-auth.ts';
export type {
	CompletionQuery,
	McpCallOptions,
	McpClientOptions,
	ServerLogMessage,
} from './client/call-options.ts';
export type { ClientHandlers } from './client/client-handlers.ts';
export {
	type ConnectServerOptions,
	connectServer,
	type RemoteTarget,
	type ServerTarget,
} from './client/connect-server.ts';
export { McpClient } from './client/mcp-client.ts';
export type {
	PromptDefinition,
	ResourceDefinition,
	ServerDefinition,
	TemplateDefinition,
	ToolDefinition,
	ToolReturn,
} from './define/definition.ts';
export { provide, type ServeMcpOptions, serve, serveProvider } from './define/serve.ts';
export type { CallContext } from './server/call-context.ts';
export type { Call, Change, Provider } from './server/provider.ts';
