/*
 * `orchestra-hub`: a hub, its servers, tools and library in a program of your own.
 *
 * What starts within milliseconds has a subpath of its own: `./mcp` for servers and clients of
 * MCP, `./tool` for a tool, `./plugin`, `./stdio`, and `./sdk` for the official MCP SDK.
 */
export { type ErrorCode, OrchestraError } from './errors.ts';
export { type HttpServing, type ServeHttpOptions, serveHttp } from './http/serve-http.ts';
export type { Hub } from './hub/hub.ts';
export { type OpenedHub, type OpenHubOptions, openHub } from './hub/open-hub.ts';
export { starterLibrary } from './library/files/paths.ts';
export { Library, type LibraryOptions } from './library/library.ts';
export { Log, type LogOptions } from './log.ts';
export { type ConnectServerOptions, connectServer, type ServerTarget } from './mcp/client/connect-server.ts';
export type { McpClient } from './mcp/client/mcp-client.ts';
export type { ServerDefinition } from './mcp/define/definition.ts';
export { type ServeMcpOptions, serve } from './mcp/define/serve.ts';
export { HelperSpawner } from './process/spawn/helper-spawner.ts';
export { type Discovery, discoverTools } from './tool/discover.ts';
export { type KnownToolEvent, knownEvent, type ToolEvent } from './tool/event.ts';
export { type RunOptions, runTool, type ToolRun } from './tool/run.ts';
export type { RunSummary } from './tool/summary.ts';
export type { DiscoveredTool } from './tool/tool.ts';
