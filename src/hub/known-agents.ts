/* Agents by the name in their `clientInfo`: what a model reads and does by default is decided for these alone. */

const agents =
	/^(?:claude-code|claude-ai|codex-mcp-client|Codex|gemini-cli-mcp-client.*|cursor-vscode|Cursor|Visual Studio Code.*|windsurf.*|Cline|Roo Code|Zed|goose.*|opencode)$/;

/** True for a client that is known to pass what it reads to a model. */
export function isKnownAgent(client: string): boolean {
	return agents.test(client);
}
