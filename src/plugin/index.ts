/* The subpath `orchestra-hub/plugin`: write a plugin, or call one. */
export { toolFailure } from '../errors.ts';
export { loadIdentity } from '../link/certificates/certificates.ts';
export type { Identity } from '../link/link.ts';
export type { Orchestrator } from './client/orchestrator-client.ts';
export { PluginClient } from './client/plugin-client.ts';
export { definePlugin, type Plugin, type RunningPlugin } from './sdk/define-plugin.ts';
export type {
	ExactResult,
	PluginCall,
	PluginDefinition,
	PluginPrompt,
	PluginStreamingTool,
	PluginTool,
	StorageHandlers,
} from './sdk/plugin-definition.ts';
export { exactResult } from './sdk/plugin-handlers.ts';
