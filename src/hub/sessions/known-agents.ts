/*
 * Agents by the name in their `clientInfo`: what a model reads, and how often it may repeat itself,
 * is limited by default for these alone.
 */

/**
 * With the limit of each for a result, in tokens. Our budget is below each of
 * these limits, so that our preview with its handle comes before theirs without one.
 */
const agents: readonly (readonly [name: RegExp, ownLimitTokens: number | undefined])[] = [
	[/^claude-code$/, 25_000], // MAX_MCP_OUTPUT_TOKENS; anthropics/claude-code issue 45766
	[/^(codex-mcp-client|Codex)$/, 10_000], // openai/codex issues 6544, 7906, 14466
	[/^gemini-cli-mcp-client/, 1_000_000], // 4,000,000 characters; google-gemini/gemini-cli issue 17037
	[
		/^(claude-ai|cursor-vscode|Cursor|Visual Studio Code.*|windsurf.*|Cline|Roo Code|Zed|goose.*|opencode)$/,
		undefined,
	],
];

/** True for a client that is known to pass what it reads to a model. */
export function isKnownAgent(client: string): boolean {
	return agents.some(([name]) => name.test(client));
}
