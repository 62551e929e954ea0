/* The optional features of the protocol, declared at registration. */

/** MCP messages on one long-lived stream. */
export const MCP_TUNNEL = 'mcp-tunnel';

/** Arguments and results as JSON text beside the Struct. */
export const EXACT_JSON = 'exact-json';

/** MCP messages that are too large for a frame, in parts. */
export const MCP_PARTS = 'mcp-parts';

/** A tunnel names the view of its session. */
export const TOOL_VIEWS = 'tool-views';

/** The reason of a rejected registration that says that the bridge must not use this hub. */
export const REFUSED = 'refused';

/** All features of this implementation. */
export const FEATURES: readonly string[] = [MCP_TUNNEL, MCP_PARTS, EXACT_JSON, TOOL_VIEWS];

/** The entry of a bridge's `env` with its pid; the other entries are variables for the hub's configuration. */
export const BRIDGE_PID_VARIABLE = 'ORCHESTRA_BRIDGE_PID';
