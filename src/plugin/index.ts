/* The subpath `orchestra-hub/plugin`: write a plugin, serve the plugin protocol or call a peer. */

export { toolFailure } from '../errors.ts';
export { loadIdentity } from '../link/certificates/certificates.ts';
export type { Identity, LinkListener, LinkPeer } from '../link/link.ts';
export { dial, listen } from '../link/open-link.ts';
export { encodeFrame, FrameReader } from '../wire/frame.ts';
export { Orchestrator } from './client/orchestrator-client.ts';
export { PluginClient } from './client/plugin-client.ts';
export { type PluginProcess, type PluginProgram, startPluginProcess } from './client/plugin-process.ts';
export type { CallOptions } from './client/unary-calls.ts';
export type { ExactObject } from './exact-json.ts';
export { FEATURES } from './features.ts';
export type * from './gen/orchestra/plugin/v1/plugin_pb.ts';
export { definePlugin, type Plugin, type RunningPlugin } from './sdk/define-plugin.ts';
export type {
	PluginCall,
	PluginDefinition,
	PluginEvent,
	PluginPrompt,
	PluginResult,
	PluginStreamingTool,
	PluginTool,
	PromptMessage,
	StorageHandlers,
} from './sdk/plugin-definition.ts';
export { exactResult } from './sdk/plugin-handlers.ts';
export type { PluginHandlers, ServerCall, StreamingCall, SubscribedCall } from './server/handlers.ts';
export { type PluginServerOptions, servePlugin } from './server/plugin-server.ts';
