/* The subpath `orchestra-hub/mcp`: write an MCP server for every revision at once. */
export type { CallContext, InputResponses } from './call-context.ts';
export { DefinedProvider } from './defined-provider.ts';
export type {
	PromptDefinition,
	ResourceDefinition,
	ServerDefinition,
	TemplateDefinition,
	ToolDefinition,
} from './definition.ts';
export { Face, type SharedState, sharedState } from './face.ts';
export type { CallToolParams, Change, CompleteParams, GetPromptParams, Provider } from './provider.ts';
export { supportedVersions } from './revisions.ts';
export { provide, type ServeMcpOptions, serve, serveProvider } from './serve.ts';
export type * from './types.ts';
