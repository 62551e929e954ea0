/* What our own ends can do beyond the common protocol, as they announce it when they register. */

/** MCP messages in full, on one long-lived stream. */
export const MCP_TUNNEL = 'mcp-tunnel';

/** Arguments and results as JSON text beside the Struct. */
export const EXACT_JSON = 'exact-json';

export const FEATURES: readonly string[] = [MCP_TUNNEL, EXACT_JSON];
