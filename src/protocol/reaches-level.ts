/* Which log messages a client wants. */
import { isLogLevel, logLevels, type McpLogLevel } from './mcp-types.ts';

/** Whether a message of this level is for a client that wants this level and above; undefined: it wants none. */
export function reachesLevel(level: unknown, least: McpLogLevel | undefined): boolean {
	return least !== undefined && isLogLevel(level) && logLevels.indexOf(level) >= logLevels.indexOf(least);
}
