/* `orchestra-hub/plugin`: write a plugin, serve or call one. */

export { toolFailure } from '../errors.ts';
export { certificatesFolder, loadIdentity } from '../quic/certificates.ts';
export type { Identity, LinkListener, LinkPeer } from '../quic/link.ts';
export { dial, listen } from '../quic/open-link.ts';
export { encodeFrame, FrameReader } from '../wire/frame.ts';
export { type CallOptions } from './calls.ts';
export { definePlugin, type Plugin, type RunningPlugin } from './define-plugin.ts';
export type {
	PluginCall,
	PluginDefinition,
	PluginPrompt,
	PluginResult,
	PluginStreamingTool,
	PluginTool,
	PromptMessage,
	StorageHandlers,
} from './definition.ts';
export { type ExactObject, exactBytes, parseExact, readExact, textOf } from './exact-json.ts';
export { EXACT_JSON, FEATURES, MCP_TUNNEL } from './features.ts';
export type * from './gen/orchestra/plugin/v1/plugin_pb.ts';
export type { PluginHandlers, ServerCall, StreamingCall, SubscribedCall } from './handlers.ts';
export { Orchestrator } from './orchestrator.ts';
export { PluginClient } from './plugin-client.ts';
export { exactResult } from './plugin-handlers.ts';
export { type PluginProcess, type PluginProgram, startPluginProcess } from './plugin-process.ts';
export { type PluginServerOptions, servePlugin } from './plugin-server.ts';
