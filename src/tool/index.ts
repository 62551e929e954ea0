/* The subpath `orchestra-hub/tool`: find tools of Tool Protocol v1, run them, check them. */
export type { ConfigProblem } from '../config/problem.ts';
export { OrchestraError } from '../errors.ts';
export { HelperSpawner } from '../process/helper-spawner.ts';
export { validate } from '../schema/validate.ts';
export { type CheckOptions, checkTool, type Finding } from './check.ts';
export { bundledToolsRoot, type Discovery, discoverTools, readToolAt, toolRoots } from './discover.ts';
export type { RunnerCode, ToolEvent } from './event.ts';
export { inputFromJson, inputFromWords } from './input.ts';
export { type KnownToolEvent, knownEvent } from './known-event.ts';
export { isToolId, type Manifest, type Runtime } from './manifest.ts';
export {
	hintFor,
	type McpContent,
	type McpProgress,
	type McpToolResult,
	mcpFailureOf,
	mcpLogOf,
	mcpProgressOf,
	mcpResultOf,
} from './mcp-result.ts';
export { type RunOptions, runTool, type ToolRun } from './run.ts';
export { RUN_TIMEOUT_MS, type RunLimits, runLimits, runTimeoutMs } from './run-limits.ts';
export { settingsOf, type ToolSettings } from './settings.ts';
export type { Outcome, RunError, RunSummary, RunWarning } from './summary.ts';
export type { DiscoveredTool } from './tool.ts';
