/* The subpath `orchestra-hub/mcp`: write an MCP server for every revision at once. */
export { OrchestraError, type ToolFailureDetails, toolFailure } from '../errors.ts';
export { Log } from '../log.ts';
export { rpcError } from '../rpc/rpc-error.ts';
export type { InferInput, InferSchema } from '../schema/infer-schema.ts';
export type { StandardSchema } from '../schema/standard-schema.ts';
export type { CallContext, InputResponses } from './call-context.ts';
export type * from './client-methods.ts';
export { DefinedProvider } from './defined-provider.ts';
export type {
	PromptDefinition,
	ResourceDefinition,
	ServerDefinition,
	TemplateDefinition,
	ToolDefinition,
	ToolDefinitions,
	ToolReturn,
} from './definition.ts';
export { Face, type SharedState, sharedState } from './face.ts';
export type { CallToolParams, Change, CompleteParams, GetPromptParams, Provider } from './provider.ts';
export { supportedVersions } from './revision.ts';
export { provide, type ServeMcpOptions, serve, serveProvider } from './serve.ts';
export type * from './types.ts';
