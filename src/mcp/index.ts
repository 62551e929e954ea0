/* The subpath `orchestra-hub/mcp`: write an MCP server for every revision at once, or call one. */
export { OrchestraError, type ToolFailureDetails, toolFailure } from '../errors.ts';
export { Log } from '../log.ts';
export type { CreateMessageResult, ElicitResult } from '../protocol/client-methods.ts';
export type {
	CallToolResult,
	CompleteResult,
	ContentBlock,
	GetPromptResult,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	Tool,
} from '../protocol/mcp-types.ts';
export { rpcError } from '../rpc/rpc-error.ts';
export type { InferInput } from '../schema/infer-schema.ts';
export type { HttpAuth } from '../transport/http/http-auth.ts';
export type { McpCallOptions } from './client/call-options.ts';
export type { ClientHandlers } from './client/client-handlers.ts';
export {
	type ConnectServerOptions,
	connectServer,
	type ServerTarget,
} from './client/connect-server.ts';
export type { McpClient } from './client/mcp-client.ts';
export type {
	PromptDefinition,
	ResourceDefinition,
	ServerDefinition,
	TemplateDefinition,
	ToolDefinition,
} from './define/definition.ts';
export type { DefinitionProvider } from './define/definition-provider.ts';
export { provide, type ServeMcpOptions, serve, serveProvider } from './define/serve.ts';
export type { CallContext } from './server/call-context.ts';
export type { Call, Change, Provider } from './server/provider.ts';
