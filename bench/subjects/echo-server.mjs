/* An MCP server with one tool, `echo`, on our library. Speaks every revision, request by request. */
import { serve } from '../../dist/mcp/index.js';
import { info, tool } from './echo-tool.mjs';

const LIMIT_BYTES = 64 * 1024 * 1024;
const { name, ...described } = tool;

await serve(
	{ ...info, tools: { [name]: { ...described, run: ({ text }) => text } } },
	{ limitBytes: LIMIT_BYTES },
);
